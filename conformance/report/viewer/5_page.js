// The head, the filters, and how all is kept in step.
function showHead() {
  const {subject, cells, machine} = record(), {verdict, exit} = conclusion();
  const count = (test) => cells.filter(test).length;
  const style = exit === 0 ? 'is-pass' : exit === 1 ? 'is-bad' : 'is-none';
  const word = /^[A-Z ]+(?= )/.exec(verdict)[0];
  const sees = most(cells.flatMap((cell) => cell.evidence), (one) => one.detectable);
  const {device} = machine;
  const on = device ? `${device.name} (compute capability ${device.capability}, CUDA driver ` +
          `${device.driver}, runtime ${device.runtime}), ${machine.cpu}` :
                      machine.cpu;
  const fact = (label, ...text) => h('span', {}, `${label} `, h('b', {}, text));
  fill(
      'head',
      h('h1', {}, h('span', {class: `verdict ${style}`, id: 'verdict'}, word),
        verdict.slice(word.length)),
      h('div', {class: 'facts'}, fact('subject', `${subject.name} ${subject.version}`),
        fact('file', subject.file), fact('sha256', subject.sha256.slice(0, 16)),
        fact('device', subject.device), fact('profile', subject.profile),
        fact('tier', record().tier), fact('seed', record().seed), fact('spec', record().spec),
        fact('run', `${record().started}, ${short(record().seconds)} s`), fact('on', on)),
      h('p', {style: 'margin:8px 0 0'},
        chip(`${count((cell) => cell.status === 'Pass')} pass`, 'is-pass'), ' ',
        chip(`${count((cell) => cell.status === 'Warn')} warn`, 'is-warn'), ' ',
        chip(`${count(isBad)} fail`, 'is-bad'), ' ',
        chip(
            `${count((cell) => ['Inconclusive', 'NotRun'].includes(cell.status))} undecided`,
            'is-none'),
        ' ', chip(`${count((cell) => cell.status === 'NotSupported')} not supported`, 'is-none'),
        ' ',
        h('span', {class: 'soft small'},
          `${thousands(sum(cells, (cell) => sum(cell.evidence, (one) => one.checks)))} checks`,
          sees > 0 && `, sees a distance of ${short(sees)} from the law`)));
}

function select(name, label, values) {
  const change = (event) => {
    state[name] = event.target.value;
    refresh();
  };
  return h(
      'label', {}, label,
      h('select', {name, on: {change}}, h('option', {value: ''}, 'any'),
        values.map((value) => h('option', {value}, value))));
}

function showFilters() {
  const present = (of) => [...new Set(record().cells.map(of))].sort();
  const typed = (event) => {
    state.text = event.target.value;
    refresh();
  };
  const reset = () => {
    Object.assign(state, {status: '', grade: '', dtype: '', text: ''});
    showFilters();
    refresh();
  };
  fill(
      'filters',
      records.length > 1 &&
          h('label', {}, 'record',
            h('select', {
              name: 'record',
              on: {
                change: (event) => {
                  Object.assign(
                      state, {index: Number(event.target.value), operation: null, kind: null});
                  reset();
                }
              }
            },
              records.map(
                  (one, i) =>
                      h('option', {value: i, selected: i === state.index ? '' : null},
                        `${one.subject.name} ${one.subject.profile} (${conclusions[i].path})`)))),
      select('status', 'status', present((cell) => cell.status)),
      select('grade', 'grade', present((cell) => cell.grade)),
      select('dtype', 'dtype', present((cell) => cell.dtype)), h('input', {
        type: 'search',
        name: 'text',
        placeholder: 'clause, operation, bug, text',
        'aria-label': 'text',
        on: {input: typed}
      }),
      h('button', {type: 'button', on: {click: reset}}, 'Reset'),
      h('span', {class: 'soft small', id: 'shown'}));
}

function showTab(name) {
  state.tab = name;
  fill(
      'tabs',
      Object.keys(tabs).map(
          (tab) =>
              h('button', {
                type: 'button',
                role: 'tab',
                'aria-selected': tab === name ? 'true' : 'false',
                on: {click: () => showTab(tab)}
              },
                tab === 'Failures' ? `Failures (${conclusion().failures.length})` : tab)));
  fill('tab', tabs[name]());
}

function refresh() {
  showHead();
  showMatrix();
  showDetail();
  showTab(state.tab);
  document.getElementById('shown').textContent =
      `${chosenCells().length} of ${record().cells.length} cells`;
}

const firstBad = record().cells.find(isBad);
if (firstBad)
  Object.assign(
      state,
      {operation: firstBad.operation, kind: firstBad.kind, requirement: firstBad.requirement});
if (!firstBad) state.tab = 'Not tested';
showFilters();
refresh();
