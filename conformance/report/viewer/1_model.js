// The record, what the program concluded from it, and the filters. No rule of the suite is decided
// here but the matrix's own: how entries are counted after filtering.
const parsed = (id) => JSON.parse(document.getElementById(id).textContent);
const recordTexts =
    [...document.querySelectorAll('script.record')].map((script) => script.textContent);
const records = recordTexts.map((text) => JSON.parse(text)), conclusions = parsed('conclusions'),
      tables = parsed('tables');

const kinds = ['values', 'law', 'seeds', 'mask', 'edges', 'memory'];
const kindTexts = {
  values: 'which values come out',
  law: 'how often each token comes out',
  seeds: 'what the random stream depends on',
  mask: 'what a mask forbids',
  edges: 'special values and parameters',
  memory: 'what is read and written',
};
const grades = ['exact', 'coupled', 'statistical'], letters = 'ECS';
const statusClass = {
  Pass: 'is-pass',
  Warn: 'is-warn',
  Fail: 'is-bad',
  Crash: 'is-bad',
  Timeout: 'is-bad',
  NotSupported: 'is-none',
  Inconclusive: 'is-none',
  NotRun: 'is-none',
};
const isBad = (cell) => statusClass[cell.status] === 'is-bad';
const holds = (cell) => cell.status === 'Pass' || cell.status === 'Warn';
const cellName = (cell) => `${cell.requirement}/${cell.operation}/${cell.dtype}`;
// JSON's integers may exceed what JavaScript's hold: the program has put the cases of plots in
// words.
records.forEach((record, i) => {
  const {streams, cuts} = conclusions[i].words;
  let stream = 0, cut = 0;
  for (const cell of record.cells)
    for (const one of cell.evidence) {
      for (const item of one.streams) item.words = streams[stream++];
      for (const item of one.cuts) item.words = cuts[cut++];
    }
});
const clauseOf = (id) =>
    tables.clauses[id] || {clause: '', guards: '', not_covered: '', properties: []};

const state = {
  index: 0,
  status: '',
  grade: '',
  dtype: '',
  text: '',
  tab: 'Failures',
  operation: null,
  kind: null,
  requirement: null,
};
const record = () => records[state.index];
const conclusion = () => conclusions[state.index];

function matches(cell) {
  if (state.status && cell.status !== state.status) return false;
  if (state.grade && cell.grade !== state.grade) return false;
  if (state.dtype && cell.dtype !== state.dtype) return false;
  if (!state.text) return true;
  const clause = clauseOf(cell.requirement);
  const text = [cellName(cell), cell.note, clause.clause, clause.guards].join(' ').toLowerCase();
  return state.text.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
const chosenCells = () => record().cells.filter(matches);

// The entry of the matrix for some cells: text, class, or null if the specification asks nothing.
function entryOf(cells) {
  if (cells.length === 0) return null;
  const clauses = new Map();
  for (const cell of cells) {
    if (cell.status === 'NotSupported') continue;
    const clause =
        clauses.get(cell.requirement) || {held: true, bad: false, warn: false, grade: -1};
    clause.held &&= holds(cell);
    clause.bad ||= isBad(cell);
    clause.warn ||= cell.status === 'Warn';
    clause.grade = Math.max(clause.grade, grades.indexOf(cell.grade));
    clauses.set(cell.requirement, clause);
  }
  const all = [...clauses.values()], held = all.filter((clause) => clause.held).length;
  if (all.length === 0) return {text: '-', style: 'is-none'};
  const bad = all.some((clause) => clause.bad),
        weakest = Math.max(...all.map((clause) => clause.grade));
  const letter = bad ? '!' : held < all.length || weakest < 0 ? '?' : letters[weakest];
  const style = bad                     ? 'is-bad' :
      letter === '?'                    ? 'is-none' :
      all.some((clause) => clause.warn) ? 'is-warn' :
                                          'is-pass';
  return {text: `${held}${held < all.length ? `/${all.length}` : ''} ${letter}`, style};
}

const sum = (list, of) => list.reduce((total, item) => total + of(item), 0);
const most = (list, of) => list.reduce((value, item) => Math.max(value, of(item)), 0);
const thousands = (value) => Number(value).toLocaleString('en-US');
const short = (value) => Math.abs(value) >= 1e300 ? (value > 0 ? 'inf or NaN' : '-inf') :
                                                    String(Number(Number(value).toPrecision(3)));
const percent = (value) => `${short(100 * value)} %`;

// "Elements", never markup: every text of a record goes through textContent.
function make(namespace, tag, attributes, children) {
  const node = namespace ? document.createElementNS(namespace, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === 'on')
      for (const [event, call] of Object.entries(value)) node.addEventListener(event, call);
    else if (value !== null && value !== undefined && value !== false)
      node.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false)
      node.append(child instanceof Node ? child : String(child));
  return node;
}
const h = (tag, attributes, ...children) => make(null, tag, attributes, children);
const s = (tag, attributes, ...children) =>
    make('http://www.w3.org/2000/svg', tag, attributes, children);
const fill = (id, ...children) => {
  const node = document.getElementById(id);
  node.replaceChildren(...children.flat(Infinity).filter((child) => child instanceof Node));
  return node;
};
const chip = (text, style) => h('span', {class: `chip ${style}`}, text);
