// What stands below the matrix.
const nothing = (text) => h('p', {class: 'soft'}, text);

function failuresTab() {
  const names = new Set(chosenCells().map(cellName));
  const shown = conclusion().failures.filter((failure) => names.has(failure.cell));
  if (shown.length === 0)
    return nothing(
        conclusion().failures.length ? 'No failure matches the filters.' : 'Nothing failed.');
  return shown.map((failure) => {
    const example = failure.example === null ? null : record().counterexamples[failure.example];
    const waived = conclusion().waived[failure.cell];
    const line = (label, text, style) =>
        text ? [h('dt', {}, label), h('dd', {class: style}, text)] : null;
    const rows = example ? example.rows : [];
    const at = example && /^row (\d+)/.exec(example.place);
    const row = rows.filter((one) => !at || one.row === Number(at[1]));
    return h(
        'article', {class: 'failure', 'data-cell': failure.cell},
        h('h2', {},
          chip(
              waived ? `${failure.status}, waived` : failure.status, waived ? 'is-warn' : 'is-bad'),
          failure.title),
        h('dl', {}, line('clause', clauseOf(failure.requirement).clause, 'text'),
          line('reason', failure.note), line('waived', waived, 'text'), line('case', failure.case),
          example &&
              [
                line('place', example.place), line('input', example.input),
                line('expected', example.expected), line('got', example.got)
              ],
          line('hint', failure.hint, 'text'), line('like', clauseOf(failure.requirement).guards),
          failure.replay &&
              [
                h('dt', {}, 'replay'),
                h('dd', {}, failure.replay, ' ',
                  h('button', {
                    type: 'button',
                    class: 'small',
                    on: {
                      click: () =>
                          navigator.clipboard && navigator.clipboard.writeText(failure.replay)
                    }
                  },
                    'copy'))
              ]),
        example &&
            h('div', {class: 'plots'}, row.slice(0, 2).map((one) => rowPlot(one, example.cut)),
              example.cut && cutPlot(example.cut, '')));
  });
}

function lawTab() {
  const plots = chosenCells().flatMap(
      (cell) => cell.evidence.flatMap(
          (one) => one.streams.map(
              (stream) => lawPlot(stream, [h('b', {}, cellName(cell)), ` ${stream.words},`]))));
  if (plots.length === 0)
    return nothing('No stream of draws was judged by statistics among the chosen cells.');
  return [
    h('p', {class: 'soft'},
      'Share observed less share expected: in bands of descending probability (rank16) ' +
          'or, where the rounding of fp32 would show there, in another pooling. An honest bin leaves its band once in ' +
          '100,000; the verdict is the e-value\'s, over all poolings.'),
    h('div', {class: 'plots'}, plots)
  ];
}

function cutsTab() {
  const failing =
      record()
          .counterexamples.filter((example) => example.cut)
          .map((example) => cutPlot(example.cut, [
                 h('b', {}, `${example.requirement}/${example.job.operation}/${example.job.dtype}`),
                 ' fails,'
               ]));
  const sampled = chosenCells().flatMap(
      (cell) => cell.evidence.flatMap(
          (one) =>
              one.cuts.map((cut) => cutPlot(cut, [h('b', {}, cellName(cell)), ` ${cut.words},`]))));
  if (failing.length + sampled.length === 0)
    return nothing('No kept set stands in the record for the chosen cells.');
  return [
    h('p', {class: 'soft small'}, 'The likeliest tokens around the cut.', h('i', {class: 'key'}),
      'kept by both', h('i', {class: 'key', style: 'background:var(--none);opacity:.45'}),
      'dropped by both', h('i', {class: 'key', style: 'background:var(--bad)'}), 'they differ'),
    failing.length > 0 && [h('h3', {}, 'Failing'), h('div', {class: 'plots'}, failing)],
    sampled.length > 0 &&
        [h('h3', {}, 'Sampled, passing'), h('div', {class: 'plots'}, sampled.slice(0, 60))]
  ];
}

function budgetTab() {
  const cells = chosenCells()
                    .map((cell) => ({
                           cell,
                           use: most(cell.evidence, (one) => one.budget_use),
                           checks: sum(cell.evidence, (one) => one.checks),
                           undecided: sum(cell.evidence, (one) => one.undecided)
                         }))
                    .filter((one) => one.use > 0 || one.undecided > 0)
                    .sort((a, b) => b.use - a.use);
  if (cells.length === 0) return nothing('No chosen cell used a numeric budget.');
  return [
    budgetPlot(cells),
    h('table', {style: 'margin-top:12px'},
      h('thead', {},
        h('tr', {}, h('th', {}, 'cell'), h('th', {}, 'largest use of the Fail budget'),
          h('th', {class: 'number'}, 'undecided'), h('th', {class: 'number'}, 'of checks'))),
      h('tbody', {},
        cells.slice(0, 100).map(
            (one) =>
                h('tr', {}, h('td', {class: 'mono'}, cellName(one.cell)),
                  h('td', {}, meter(one.use)), h('td', {class: 'number'}, thousands(one.undecided)),
                  h('td', {class: 'number'}, thousands(one.checks))))))
  ];
}

function faultsTab() {
  const operations = new Set(chosenCells().map((cell) => cell.operation));
  const ids = new Set(chosenCells().map((cell) => cell.requirement));
  const faults = tables.faults.filter(
      (fault) => (fault.operation === 'all' || operations.has(fault.operation)) &&
          fault.kills.some(([id]) => ids.has(id)));
  if (faults.length === 0) return nothing('No fault is refused by the chosen clauses.');
  const used =
      [...ids]
          .filter((id) => faults.some((fault) => fault.kills.some(([kill]) => kill === id)))
          .sort();
  return [
    h('p', {class: 'soft small'},
      `${faults.length} wrong kernels that the suite must refuse, by the clauses that `,
      'refuse each. Point at a mark for what is wrong.', h('i', {class: 'key'}), 'exact',
      h('i', {class: 'key', style: 'background:var(--warn)'}), 'coupled',
      h('i', {class: 'key', style: 'background:var(--pass)'}), 'statistical'),
    h('div', {class: 'scroll'}, faultMap(faults, used))
  ];
}

function untestedTab() {
  return [
    conclusion().untested.map(
        (part) =>
            [h('h3', {}, part.about), h('ul', {}, part.lines.map((line) => h('li', {}, line)))]),
    conclusion().waivers.length > 0 &&
        [
          h('h3', {}, 'Waivers'),
          h('ul', {},
            conclusion().waivers.map(
                (waiver) =>
                    h('li', {}, h('code', {}, waiver.cells),
                      ` ${waiver.words}; waives ${waiver.waives}`,
                      waiver.warning && h('b', {class: 'is-warn'}, ` ${waiver.warning}`))))
        ],
    h('h3', {}, 'Never'), nothing('Speed, text quality, and the scheduler around the kernels.')
  ];
}

function recordTab() {
  const {cells, counterexamples, jobs, ...rest} = record(), seconds = new Map();
  for (const job of jobs) seconds.set(job.property, (seconds.get(job.property) || 0) + job.seconds);
  const slowest = [...seconds].sort((a, b) => b[1] - a[1]).slice(0, 12);
  const save = () => {
    const url =
        URL.createObjectURL(new Blob([recordTexts[state.index]], {type: 'application/json'}));
    h('a', {href: url, download: `${record().subject.name}.json`}).click();
    URL.revokeObjectURL(url);
  };
  return [
    h('p', {}, h('button', {type: 'button', on: {click: save}}, 'Save the record'),
      h('span', {class: 'soft'},
        ` ${cells.length} cells, ${counterexamples.length} failing cases, ${jobs.length} jobs`)),
    h('h3', {}, 'Time by property'),
    h('table', {},
      h('tbody', {},
        slowest.map(
            ([name, time]) =>
                h('tr', {}, h('td', {class: 'mono'}, name),
                  h('td', {class: 'number'}, `${short(time)} s`))))),
    h('h3', {}, 'Without cells, cases and jobs'), h('pre', {}, JSON.stringify(rest, null, 1))
  ];
}

const tabs = {
  Failures: failuresTab,
  Law: lawTab,
  'Kept sets': cutsTab,
  'Budget use': budgetTab,
  'Fault map': faultsTab,
  ...(tables.kills ? {'Kill map': killsTab} : {}),
  'Not tested': untestedTab,
  Record: recordTab,
};
