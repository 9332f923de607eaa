(() => {
  'use strict';
  const data = JSON.parse(document.getElementById('data').textContent);
  if (typeof uPlot !== 'function') return;

  const digits = (v) => {
    const s = Math.abs(v);
    return s >= 1000 ? Math.round(v).toLocaleString('en-US')
      : s === 0 || Number.isInteger(v) ? String(v) : v.toPrecision(3);
  };
  const compact = (v) => Math.abs(v) >= 1e6 ? digits(v / 1e6) + ' M' : Math.abs(v) >= 1e4 ? digits(v / 1e3) + ' k' : digits(v);
  const two = (v) => String(v).padStart(2, '0');
  const duration = (s) => {
    if (s == null) return '–';
    if (s === 0) return '0';
    if (s < 1e-6) return digits(s * 1e9) + ' ns';
    if (s < 1e-3) return digits(s * 1e6) + ' µs';
    if (s < 1) return digits(s * 1e3) + ' ms';
    if (s < 60) return digits(s) + ' s';
    const r = Math.round(s);
    if (r < 3600) return Math.floor(r / 60) + ' min' + (r % 60 ? ' ' + (r % 60) + ' s' : '');
    const m = Math.round(r / 60);
    return Math.floor(m / 60) + ' h' + (m % 60 ? ' ' + two(m % 60) + ' min' : '');
  };
  const show = (unit, v) => v == null ? '–'
    : unit === 'ns' ? duration(v / 1e9) : unit === '%' ? digits(v) + ' %' : compact(v);
  const color = (style) => {
    const probe = document.createElement('i');
    probe.className = style;
    document.body.append(probe);
    const found = getComputedStyle(probe).backgroundColor;
    probe.remove();
    return found;
  };
  const faint = (rgb, a) => rgb.replace('rgb(', 'rgba(').replace(')', ', ' + a + ')');

  const charts = [];
  const sync = uPlot.sync('time');
  let zooming = false;

  const timeSteps = [1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, .001, .002, .005, .01, .02, .05, .1, .2, .5,
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

  const niceSteps = [];
  for (let e = -3; e < 12; e++) for (const f of [1, 2, 5]) niceSteps.push(Number((f * 10 ** e).toPrecision(1)));

  function zoom(min, max) {
    if (zooming) return;
    zooming = true;
    charts.forEach((c) => c.setScale('x', { min, max }));
    zoomLives(min, max);
    zooming = false;
  }

  function zoomLives(min, max) {
    const svg = document.getElementById('lives');
    if (!svg) return;
    const box = svg.viewBox.baseVal;
    svg.setAttribute('viewBox', `${1000 * min / data.end} 0 ${Math.max(1e-6, 1000 * (max - min) / data.end)} ${box.height}`);
    const times = document.getElementById('lives-times');
    times.textContent = '';
    const step = timeSteps.find((s) => s >= (max - min) / 9) || 86400;
    for (let t = Math.ceil(min / step) * step; t <= max * (1 + 1e-9); t += step) {
      const mark = document.createElement('span');
      mark.textContent = duration(Number(t.toPrecision(9)));
      mark.style.left = 100 * (t - min) / (max - min) + '%';
      times.append(mark);
    }
  }

  function stack(lines) {
    const sums = [];
    let below = null;
    for (const line of lines) {
      below = line.y.map((v, i) => v == null ? null : v + (below && below[i] || 0));
      sums.push(below);
    }
    return sums;
  }

  function build(panel, place) {
    const series = [{}];
    const columns = [panel.x];
    const bands = [];
    if (panel.stacked) {
      const sums = stack(panel.lines);
      for (let i = panel.lines.length - 1; i >= 0; i--) { // the tallest first, the others over it
        const c = color(panel.lines[i].style);
        series.push({ stroke: c, fill: c, width: 0, points: { show: false } });
        columns.push(sums[i]);
      }
    } else {
      for (const line of panel.lines) {
        const c = color(line.style);
        if (line.high) {
          series.push({ stroke: 'transparent', width: 0, points: { show: false } });
          columns.push(line.high);
          series.push({ stroke: 'transparent', width: 0, points: { show: false } });
          columns.push(line.low);
          bands.push({ series: [series.length - 2, series.length - 1], fill: faint(c, .22) });
        }
        series.push({ stroke: c, width: 1.5, points: { show: false } });
        columns.push(line.y);
      }
    }
    const readout = document.createElement('div');
    readout.className = 'readout';
    const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const ink = css('--label');
    const font = '11.5px system-ui, "Liberation Sans", Arial, sans-serif';
    const grid = { stroke: css('--grid'), width: 1 };
    const options = {
      width: Math.max(300, place.clientWidth), height: 190, series, bands,
      padding: [8, 14, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: sync.key, setSeries: false }, drag: { x: true, y: false, setScale: true }, points: { show: false } },
      scales: {
        x: { time: false, min: 0, max: data.end },
        y: { range: (u, lo, hi) => [0, Math.max(hi || 1, panel.reference && panel.reference < 1.3 * hi ? panel.reference : 0) * 1.05] }
      },
      axes: [
        { stroke: ink, font, grid: { show: false }, ticks: { stroke: css('--axis'), width: 1, size: 4 }, incrs: timeSteps, space: 90, size: 30, values: (u, at) => at.map(duration) },
        { stroke: ink, font, grid, ticks: { show: false }, size: 64, incrs: panel.unit === '%' ? niceSteps : niceSteps.filter((s) => s >= 1), values: (u, at) => at.map((v) => show(panel.unit === '%' ? '' : panel.unit, v)) }
      ],
      hooks: {
        setScale: [(u, key) => { if (key === 'x') zoom(u.scales.x.min, u.scales.x.max); }],
        setCursor: [(u) => {
          const i = u.cursor.idx;
          readout.textContent = i == null ? ''
            : duration(panel.x[i]) + ' · ' + panel.lines.map((l) => l.name + ' ' + show(panel.unit, l.y[i])
              + (l.high ? ' (' + show(panel.unit, l.low[i]) + ' … ' + show(panel.unit, l.high[i]) + ')' : '')).join(' · ');
        }],
        draw: [(u) => {
          if (!panel.reference || panel.reference > u.scales.y.max) return;
          const y = u.valToPos(panel.reference, 'y', true);
          u.ctx.save();
          u.ctx.strokeStyle = css('--ink');
          u.ctx.setLineDash([5, 4]);
          u.ctx.beginPath();
          u.ctx.moveTo(u.bbox.left, y);
          u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
          u.ctx.stroke();
          u.ctx.fillStyle = ink;
          u.ctx.font = `${11.5 * devicePixelRatio}px system-ui, sans-serif`;
          u.ctx.textAlign = 'right';
          u.ctx.fillText('budget ' + digits(panel.reference), u.bbox.left + u.bbox.width - 4, y + 14 * devicePixelRatio);
          u.ctx.restore();
        }]
      }
    };
    const chart = new uPlot(options, columns, place);
    place.append(readout);
    sync.sub(chart);
    charts.push(chart);
    chart.over.addEventListener('dblclick', () => zoom(0, data.end));
  }

  // --- requests: find one, see what it waited for, and the command that explains it

  const form = document.querySelector('form.find');
  const about = document.getElementById('about');
  const known = new Map(); // id -> what the page says of it

  function note(id, text, row) {
    if (id && !known.has(id)) known.set(id, { text, row });
  }

  function explain(id) {
    if (!about || !id) return;
    const found = known.get(id);
    about.textContent = '';
    const line = (tag, text) => {
      const element = document.createElement(tag);
      element.textContent = text;
      about.append(element);
      return element;
    };
    line('p', found ? found.text : 'Request ' + id + ' is not among those that this page shows.');
    const quoted = /^[\w.:@-]+$/.test(id) ? id : "'" + id.replaceAll("'", "'\\''") + "'";
    const journal = form.dataset.journal;
    line('p', 'All of its steps, waits and preemptions, in words:');
    const command = 'headway explain ' + (/^[\w./:@-]+$/.test(journal) ? journal : "'" + journal.replaceAll("'", "'\\''") + "'") + ' --request ' + quoted;
    line('code', command);
    if (navigator.clipboard) {
      const copy = line('button', 'Copy');
      copy.type = 'button';
      copy.addEventListener('click', () => navigator.clipboard.writeText(command).then(() => { copy.textContent = 'Copied'; }));
    }
    document.querySelectorAll('.chosen').forEach((each) => each.classList.remove('chosen'));
    document.querySelectorAll('[data-request]').forEach((each) => each.classList.toggle('chosen', each.dataset.request === id));
    document.getElementById('find').value = id;
    about.scrollIntoView({ block: 'nearest' });
  }

  if (form) {
    document.querySelectorAll('g[data-request]').forEach((row) => {
      const text = row.querySelector('title').textContent;
      note(row.dataset.request, text.charAt(0).toUpperCase() + text.slice(1), row);
      row.addEventListener('click', () => explain(row.dataset.request));
    });
    for (const table of document.querySelectorAll('table')) {
      const names = [...table.querySelectorAll('th')].map((cell) => cell.textContent);
      for (const row of table.querySelectorAll('tbody tr')) {
        names.forEach((name, i) => {
          const cell = row.cells[i];
          if ((name !== 'request' && name !== 'blocker') || !cell || !cell.textContent) return;
          const id = cell.textContent;
          if (name === 'request') {
            note(id, 'Request ' + id + ': ' + names.map((n, at) => at === i || !row.cells[at].textContent ? '' : n + ' ' + row.cells[at].textContent).filter(Boolean).join(' · '), null);
          }
          const button = document.createElement('button');
          button.type = 'button';
          button.className = 'id';
          button.textContent = id;
          button.title = 'What it waited for';
          button.addEventListener('click', () => explain(id));
          cell.replaceChildren(button);
        });
      }
    }
    const ids = document.createElement('datalist');
    ids.id = 'ids';
    for (const id of known.keys()) ids.append(new Option(id));
    form.append(ids);
    document.getElementById('find').setAttribute('list', 'ids');
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      explain(document.getElementById('find').value.trim());
    });
  }

  document.documentElement.classList.add('scripted');
  zooming = true;
  document.querySelectorAll('[data-panel]').forEach((place) => build(data.panels[place.dataset.panel], place));
  zooming = false;
  document.getElementById('zoom-out')?.addEventListener('click', () => zoom(0, data.end));
  let pending = 0;
  addEventListener('resize', () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(() => charts.forEach((c) => c.setSize({ width: Math.max(300, c.root.parentElement.clientWidth), height: 190 })));
  });
})();
