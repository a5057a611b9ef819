// What a self-test saw refuse each fault: there where the page was given it.
function killsTab() {
  const words = state.text.toLowerCase().split(/\s+/);
  const shows = (fault) => {
    const text = [
      fault.id, fault.what, ...fault.kills.flatMap((kill) => [kill.property, kill.requirement])
    ].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const {brief, faults, alone} = tables.kills, shown = faults.filter(shows);
  const lines = (fault) => fault.kills.map(
      (kill, i) =>
          h('tr', {class: 'kill-line', 'data-fault': fault.id},
            i === 0 &&
                h('td', {rowspan: fault.kills.length, title: fault.what},
                  h('code', {}, fault.id)),
            h('td', {class: 'mono'}, kill.property), h('td', {class: 'mono'}, kill.requirement),
            h('td', {}, kill.technique), h('td', {class: 'number'}, thousands(kill.draws))));
  const survivor = (fault) =>
      h('tr', {}, h('td', {title: fault.what}, h('code', {}, fault.id)),
        h('td', {class: 'is-bad', colspan: 4}, 'refused by nothing'));
  return [
    h('p', {class: 'soft small'},
      `What refused ${shown.length} of ${faults.length} faults that a self-test tried`,
      brief ? ' in brief (one dtype each)' : '',
      ', and the fewest draws of a job that did. The text filter applies.'),
    h('h3', {}, 'Faults that one property alone refuses'),
    h('table', {id: 'alone'},
      h('tbody', {},
        alone.map(
            (one) =>
                h('tr', {}, h('td', {class: 'mono'}, one.property),
                  h('td', {}, one.faults.map((id) => [h('code', {}, id), ' '])))))),
    h('h3', {}, 'Every kill'),
    h('div', {class: 'scroll'},
      h('table', {},
        h('thead', {},
          h('tr', {}, h('th', {}, 'fault'), h('th', {}, 'property'), h('th', {}, 'clause'),
            h('th', {}, 'technique'), h('th', {class: 'number'}, 'draws'))),
        h('tbody', {},
          shown.map((fault) => fault.kills.length ? lines(fault) : survivor(fault)))))
  ];
}
