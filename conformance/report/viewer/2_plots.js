// Plots, as SVG made of numbers that stand in the record.
const width = 520, left = 54, right = 8;

function axes(height, low, high, show = short) {
  const y = (value) => 10 + (height - 30) * (1 - (value - low) / (high - low || 1));
  const lines = [low, (low + high) / 2, high].map(
      (value) =>
          [s('line', {class: 'axis', x1: left, x2: width - right, y1: y(value), y2: y(value)}),
           s('text', {x: left - 6, y: y(value) + 3, 'text-anchor': 'end'}, show(value)),
  ]);
  return {y, lines};
}
const frame = (kind, height, label, ...children) => s(
    'svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label, 'data-plot': kind},
    children);
const slots = (count) => {
  const step = (width - left - right) / Math.max(count, 1);
  return {x: (i) => left + i * step, step};
};
const finite = (value) => Math.abs(value) < 1e300;

// One row of an input, token by token; `cut` colours the tokens that stand in it.
function rowPlot(row, cut) {
  const values = row.values, shown = values.filter(finite);
  const low = Math.min(0, ...shown), high = Math.max(0, ...shown) || 1, height = 130;
  const {y, lines} = axes(height, low, high), {x, step} = slots(values.length);
  const byId = new Map((cut ? cut.tokens : []).map((token) => [token.id, token]));
  const style = (id) => {
    const token = byId.get(id);
    if (!token) return cut ? 'dropped' : 'kept';
    return token.expected !== token.got ? 'wrong' : token.got ? 'kept' : 'dropped';
  };
  const bars = values.map((value, id) => {
    const to = finite(value) ? value : value > 0 ? high : low;
    return s(
        'rect', {
          class: finite(value) ? style(id) : 'wrong',
          x: x(id) + step * 0.1,
          width: Math.max(step * 0.8, 1),
          y: Math.min(y(0), y(to)),
          height: Math.max(Math.abs(y(to) - y(0)), 1)
        },
        s('title', {}, `token ${id}: ${short(value)}`));
  });
  const ticks = values.length <= 16 ?
      values.map(
          (_, id) => s('text', {x: x(id) + step / 2, y: height - 6, 'text-anchor': 'middle'}, id)) :
      [];
  const more =
      row.size > values.length ? `, the first ${values.length} of ${thousands(row.size)}` : '';
  return h(
      'figure', {}, frame('row', height, `${row.tensor} row ${row.row}`, lines, bars, ticks),
      h('figcaption', {}, h('b', {}, row.tensor), ` row ${row.row}${more}`));
}

// The likeliest tokens around the place where the kept set ends.
function cutPlot(cut, caption) {
  const tokens = cut.tokens, height = 150, {x, step} = slots(tokens.length);
  const {y, lines} = axes(height, 0, most(tokens, (token) => token.value) || 1);
  const bars = tokens.map(
      (token, i) =>
          [s('rect', {
             class: token.expected !== token.got ? 'wrong' :
                 token.got                       ? 'kept' :
                                                   'dropped',
             x: x(i) + step * 0.12,
             width: step * 0.76,
             y: y(token.value),
             height: Math.max(y(0) - y(token.value), 1)
           },
             s('title', {},
               `token ${token.id}: ${short(token.value)}, ${
                   token.expected ? 'kept' : 'dropped'} by the ` +
                   `reference, ${token.got ? 'kept' : 'dropped'} by the subject`)),
           tokens.length <= 16 &&
               s('text', {x: x(i) + step / 2, y: height - 6, 'text-anchor': 'middle'}, token.id),
  ]);
  const ends = tokens.findIndex((token, i) => i > 0 && !token.expected && tokens[i - 1].expected);
  const line =
      ends > 0 && s('line', {class: 'cut', x1: x(ends), x2: x(ends), y1: 4, y2: height - 18});
  return h(
      'figure', {}, frame('cut', height, 'kept set at the cut', lines, bars, line),
      h('figcaption', {}, caption,
        ` ${cut.place}: the reference keeps ${thousands(cut.expected)}, the subject `,
        `${thousands(cut.got)}`));
}

// Observed less expected share in each bin. The band holds an honest bin but once in 100,000.
function lawPlot(stream, caption) {
  const deviations = 4.42, height = 180, n = stream.draws;
  const total = sum(stream.expected, (p) => p);
  const bins = stream.expected.map((p, i) => ({
                                     off: stream.observed[i] / n - p / total,
                                     band: deviations * Math.sqrt(p / total * (1 - p / total) / n),
                                     p: p / total,
                                     seen: stream.observed[i],
                                   }));
  const high = most(bins, (bin) => Math.max(Math.abs(bin.off), bin.band)) * 1.1 || 1;
  const {y, lines} = axes(height, -high, high), {x, step} = slots(bins.length);
  const bands = bins.map((bin, i) => s('rect', {
                           class: 'band',
                           x: x(i),
                           width: step,
                           y: y(bin.band),
                           height: Math.max(y(-bin.band) - y(bin.band), 1)
                         }));
  const dots = bins.map(
      (bin, i) =>
          s('circle', {
            class: Math.abs(bin.off) > bin.band ? 'dot wrong' : 'dot',
            cx: x(i) + step / 2,
            cy: y(bin.off),
            r: 3.5
          },
            s('title', {},
              `bin ${i + 1}: expected ${percent(bin.p)}, observed ${percent(bin.seen / n)} ` +
                  `(${thousands(bin.seen)} draws)`)));
  const ticks = bins.length <= 16 ?
      bins.map(
          (_, i) =>
              s('text', {x: x(i) + step / 2, y: height - 6, 'text-anchor': 'middle'}, i + 1)) :
      [];
  return h(
      'figure', {}, frame('law', height, 'observed less expected', lines, bands, dots, ticks),
      h('figcaption', {}, caption,
        ` ${stream.pooling}, ${thousands(n)} draws, log10 e-value ${short(stream.log10_e)} ` +
            `(refused at 10)`));
}

// How many cells use how much of their numeric budget.
function budgetPlot(cells) {
  const height = 150, bins = Array.from({length: 20}, () => 0);
  for (const cell of cells) bins[Math.min(19, Math.floor(cell.use * 20))] += 1;
  const {y, lines} =
      axes(height, 0, Math.max(...bins), (value) => short(Math.round(value * 10) / 10));
  const {x, step} = slots(20);
  const bars = bins.map(
      (count, i) =>
          s('rect',
            {class: 'kept', x: x(i) + 1, width: step - 2, y: y(count), height: y(0) - y(count)},
            s('title', {}, `${5 * i} to ${5 * i + 5} %: ${count} cells`)));
  const ticks = [0, 5, 10, 15, 20].map(
      (i) => s('text', {x: x(i), y: height - 6, 'text-anchor': 'middle'}, `${5 * i} %`));
  return h(
      'figure', {}, frame('budget', height, 'budget use', lines, bars, ticks),
      h('figcaption', {}, 'cells by the largest share of the Fail budget that they used'));
}

// Which clauses refuse which faults.
function faultMap(faults, ids) {
  const size = 12, top = 190, side = 220, column = new Map(ids.map((id, i) => [id, i]));
  const rows = faults.map((fault, r) => {
    const kills = new Map(fault.kills);
    return [
      s('text', {x: side - 6, y: top + r * size + 9, 'text-anchor': 'end'}, fault.id,
        s('title', {}, `${fault.id}${fault.bug ? ` (${fault.bug})` : ''}: ${fault.what}`)),
      s('rect', {x: side, y: top + r * size, width: ids.length * size - 1, height: size - 1}),
      [...kills]
          .filter(([id]) => column.has(id))
          .map(
              ([id, technique]) =>
                  s('rect', {
                    class: `kill ${gradeOf(technique)}`,
                    x: side + column.get(id) * size,
                    y: top + r * size,
                    width: size - 1,
                    height: size - 1,
                    'data-fault': fault.id,
                    'data-clause': id
                  },
                    s('title', {}, `${id} refuses ${fault.id} by ${technique}: ${fault.what}`))),
    ];
  });
  const heads = ids.map(
      (id, i) =>
          s('text',
            {x: 0, y: 0, transform: `translate(${side + i * size + 9}, ${top - 6}) rotate(-90)`},
            id));
  const wide = side + ids.length * size + 10, high = top + faults.length * size + 10;
  return s(
      'svg', {
        class: 'map',
        width: wide,
        height: high,
        viewBox: `0 0 ${wide} ${high}`,
        'data-plot': 'faults'
      },
      heads, rows);
}
const gradeOf = (technique) => ({
                                 coupling: 'coupled',
                                 law: 'coupled',
                                 marginal: 'statistical',
                                 independence: 'statistical'
                               })[technique] ||
    'exact';
