// The matrix, and the requirements behind the entry that was clicked.
function choose(operation, kind, requirement = null) {
  Object.assign(state, {operation, kind, requirement});
  showMatrix();
  showDetail();
}

function showMatrix() {
  const cells = chosenCells();
  const rows = record().subject.offered.map((operation) => {
    const own = cells.filter((cell) => cell.operation === operation);
    if (own.length === 0) return null;
    return h(
        'tr', {'data-operation': operation},
        h('td', {},
          h('button', {type: 'button', on: {click: () => choose(operation, null)}}, operation)),
        kinds.map((kind) => {
          const entry = entryOf(own.filter((cell) => cell.kind === kind));
          const pressed =
              state.operation === operation && (state.kind === kind || state.kind === null);
          return h(
              'td', {},
              h('button', {
                type: 'button',
                class: `entry ${entry ? entry.style : ''}`,
                disabled: entry ? null : '',
                'aria-pressed': pressed ? 'true' : 'false',
                'data-kind': kind,
                title: `${operation}: ${kindTexts[kind]}`,
                on: {click: () => choose(operation, kind)}
              },
                entry ? entry.text : '·'));
        }));
  });
  fill(
      'matrix',
      h('table', {class: 'matrix'},
        h('thead', {},
          h('tr', {}, h('th', {}), kinds.map((kind) => h('th', {title: kindTexts[kind]}, kind)))),
        h('tbody', {}, rows)),
      h('p', {class: 'soft small', style: 'margin:10px 0 0'},
        'Clauses that hold, lettered by the weakest evidence among them: E exact, C the same draws as the reference, ',
        'S statistics, ! a failure, ? not decided, - removed by the subject\'s limits, · nothing is asked.'));
}

const meter = (use) =>
    [h('span', {class: 'meter', title: 'share of the Fail budget'},
       h('i', {style: `width:${Math.min(100, 100 * use)}%`})),
     percent(use)];

function evidenceTable(cells) {
  const rows = cells.flatMap(
      (cell) => (cell.evidence.length ? cell.evidence : [null])
                    .map(
                        (one, i) => h(
                            'tr', {}, h('td', {}, i === 0 ? cell.dtype : ''),
                            h('td', {}, i === 0 ? chip(cell.status, statusClass[cell.status]) : ''),
                            one ?
                                [
                                  h('td', {}, one.technique),
                                  h('td', {class: 'number'}, thousands(one.checks)),
                                  h('td', {class: 'number'},
                                    one.failures ? thousands(one.failures) : ''),
                                  h('td', {class: 'number'},
                                    one.undecided ? thousands(one.undecided) : ''),
                                  h('td', {}, one.budget_use > 0 ? meter(one.budget_use) : ''),
                                ] :
                                h('td', {colspan: 5, class: 'soft'}, cell.note))));
  return h(
      'table', {},
      h('thead', {},
        h('tr', {}, ['dtype', 'status', 'by'].map((text) => h('th', {}, text)),
          ['checks', 'failures', 'undecided'].map((text) => h('th', {class: 'number'}, text)),
          h('th', {}, 'budget use'))),
      h('tbody', {}, rows));
}

function statistics(cells) {
  const found = cells.flatMap((cell) => cell.evidence).filter((one) => one.draws > 0);
  if (found.length === 0) return null;
  return [
    h('h3', {}, 'Draws'),
    h('table', {},
      h('thead', {},
        h('tr', {}, h('th', {}, 'by'), h('th', {}, 'worst pooling'),
          ['draws', 'log10 e', 'sees', 'distance at most'].map(
              (text) => h('th', {class: 'number'}, text)))),
      h('tbody', {},
        found.map(
            (one) =>
                h('tr', {}, h('td', {}, one.technique), h('td', {}, one.pooling),
                  h('td', {class: 'number'}, thousands(one.draws)),
                  h('td', {class: 'number'},
                    gradeOf(one.technique) === 'statistical' ? short(one.log10_e) : ''),
                  h('td', {class: 'number'}, one.detectable > 0 ? short(one.detectable) : ''),
                  h('td', {class: 'number'}, one.tvd_upper > 0 ? short(one.tvd_upper) : '')))))
  ];
}

function clauseBody(id, cells) {
  const clause = clauseOf(id), operation = cells[0].operation;
  const dtypes = new Set(cells.map((cell) => cell.dtype));
  const jobs = record().jobs.filter(
      (job) => job.operation === operation && dtypes.has(job.dtype) &&
          clause.properties.includes(job.property));
  const faults = tables.faults.filter(
      (fault) => (fault.operation === operation || fault.operation === 'all') &&
          fault.kills.some(([kill]) => kill === id));
  const notes = [...new Set(cells.map((cell) => cell.note).filter(Boolean))];
  const waived = cells.map((cell) => conclusion().waived[cellName(cell)]).filter(Boolean);
  const streams = cells.flatMap((cell) => cell.evidence.flatMap((one) => one.streams));
  const cuts =
      cells.flatMap((cell) => cell.evidence.flatMap((one) => one.cuts.map((cut) => [cell, cut])));
  const byProperty = new Map();
  for (const job of jobs)
    byProperty.set(job.property, (byProperty.get(job.property) || 0) + job.cases);
  return h(
      'div', {class: 'open'},
      cells.some(isBad) &&
          h('p', {},
            h('button', {type: 'button', on: {click: () => showTab('Failures')}},
              'See the failing case')),
      waived.length > 0 && h('p', {class: 'is-warn'}, `waived ${waived[0]}`), evidenceTable(cells),
      statistics(cells), notes.map((note) => h('p', {class: 'soft small'}, note)),
      h('dl', {style: 'margin-top:8px'}, h('dt', {}, 'level'),
        h('dd', {class: 'text'}, `${cells[0].level}, revision ${clause.revision}`),
        h('dt', {}, 'cases'),
        h('dd', {},
          [...byProperty].map(([name, count]) => `${name} ${thousands(count)}`).join(', ')),
        clause.guards && [h('dt', {}, 'guards'), h('dd', {}, clause.guards)],
        clause.not_covered &&
            [h('dt', {}, 'leaves out'), h('dd', {class: 'text'}, clause.not_covered)],
        h('dt', {}, 'refuses'),
        h('dd', {},
          faults.length ?
              faults.map(
                  (fault) =>
                      h('div', {title: fault.what},
                        `${fault.id}${fault.bug ? ` (${fault.bug})` : ''}: ${fault.what}`)) :
                                                  'no fault of this operation')),
      streams.length > 0 &&
          [
            h('h3', {}, 'Observed less expected, by rank'),
            streams.slice(0, 2).map((stream) => lawPlot(stream, `${stream.words},`))
          ],
      cuts.length > 0 && [
        h('h3', {}, 'Kept set at the cut'),
        cuts.slice(0, 2).map(([cell, cut]) => cutPlot(cut, `${cell.dtype}, ${cut.words},`))
      ]);
}

function showDetail() {
  if (state.operation === null) {
    fill(
        'detail', h('h2', {}, 'Choose an entry'),
        h('p', {class: 'soft'},
          'Click an entry of the matrix, or an operation, to see its clauses: what each demands, what decided it, how ' +
              'much of the numeric budget was used, and which faulty kernels it refuses.'));
    return;
  }
  const cells = chosenCells().filter(
      (cell) =>
          cell.operation === state.operation && (state.kind === null || cell.kind === state.kind));
  const ids = [...new Set(cells.map((cell) => cell.requirement))];
  const rank = (id) => Math.min(...cells.filter((cell) => cell.requirement === id)
                                    .map(
                                        (cell) => isBad(cell) ? 0 :
                                            holds(cell)       ? 2 :
                                                                1));
  ids.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  fill(
      'detail',
      h('h2', {}, h('code', {}, state.operation),
        state.kind ? ` · ${state.kind}` : ' · every kind'),
      h('p', {class: 'soft small'}, `${ids.length} clauses, ${cells.length} cells`),
      ids.map((id) => {
        const own = cells.filter((cell) => cell.requirement === id);
        const node =
            h('details', {class: 'clause', 'data-requirement': id},
              h('summary', {}, h('b', {}, id),
                h('span', {class: 'chips'},
                  own.map(
                      (cell) => chip(
                          `${cell.dtype}${
                              cell.grade === 'none' ? '' :
                                                      ` ${letters[grades.indexOf(cell.grade)]}`}`,
                          statusClass[cell.status]))),
                h('p', {}, clauseOf(id).clause)));
        const open = () =>
            node.open && node.children.length === 1 && node.append(clauseBody(id, own));
        node.addEventListener('toggle', open);
        if (ids.length === 1 || id === state.requirement) {
          node.open = true;
          open();
        }
        return node;
      }));
}
