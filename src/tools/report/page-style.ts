// The style of the report's page, with the colours of the terminal (web/styles/theme.css) in both themes.

export const pageStyle = `
:root { --ground:#eef0f3; --panel:#fff; --raised:#f5f7f9; --line:#d5dae2; --text:#161a20; --soft:#566070; --accent:#8a5a00;
  --gain:#0b7351; --loss:#b92b39; --series:#1d62b8; --grid:#e3e7ed; --band:#1d62b822; --error-soft:#fbeaec; color-scheme:light; }
@media (prefers-color-scheme: dark) { :root { --ground:#0d1015; --panel:#14181f; --raised:#1a2029; --line:#262d38; --text:#e6e9ee;
  --soft:#9aa4b2; --accent:#e8b14c; --gain:#3fbf8f; --loss:#f2727f; --series:#6fb1ff; --grid:#212833; --band:#6fb1ff22;
  --error-soft:#2a1a20; color-scheme:dark; } }
* { box-sizing:border-box; }
body { margin:0; background:var(--ground); color:var(--text); font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
  font-variant-numeric:tabular-nums; }
main { max-width:1200px; margin:0 auto; padding:32px 24px 64px; }
h1 { font-size:26px; line-height:1.2; margin:0 0 4px; letter-spacing:-.01em; }
h2 { font-size:20px; margin:48px 0 12px; letter-spacing:-.01em; }
h3 { font-size:14px; margin:0 0 2px; }
p { margin:0; }
small, .hint, .about, .rest { color:var(--soft); }
.about { margin-bottom:24px; }
.hint, .rest { font-size:13px; margin-bottom:8px; max-width:80ch; }
.rest { margin:6px 0 0; }
.verdict { display:flex; flex-wrap:wrap; gap:8px; margin:16px 0; padding:0; list-style:none; }
.verdict li { border:1px solid var(--line); border-radius:999px; padding:2px 12px; background:var(--panel); }
.verdict .error { color:var(--loss); border-color:var(--loss); font-weight:600; }
.verdict .warning { color:var(--accent); border-color:var(--accent); }
.findings { list-style:none; margin:0; padding:0; display:grid; gap:8px; }
.findings li { background:var(--panel); border:1px solid var(--line); border-left:4px solid var(--soft); border-radius:6px; padding:12px 16px; }
.findings li.error { border-left-color:var(--loss); background:var(--error-soft); }
.findings li.warning { border-left-color:var(--accent); }
.findings summary { cursor:pointer; } .findings details[open] > summary { margin-bottom:8px; }
.findings b { font-size:12px; letter-spacing:.02em; text-transform:uppercase; margin-right:8px; }
.findings .error b { color:var(--loss); } .findings .warning b { color:var(--accent); } .findings .note b { color:var(--soft); }
.findings p { overflow-wrap:anywhere; } .findings p + p { color:var(--soft); font-size:13px; margin-top:4px; }
.tiles { display:grid; grid-template-columns:repeat(auto-fit,minmax(150px,1fr)); gap:1px; margin:0 0 16px; border:1px solid var(--line);
  border-radius:8px; overflow:hidden; background:var(--line); }
.tile { background:var(--panel); padding:12px 16px; min-width:0; }
.tile dt { color:var(--soft); font-size:12px; } .tile dd { margin:2px 0 0; font-size:18px; font-weight:600; overflow-wrap:anywhere; }
.tile dd small { display:block; font-size:12px; font-weight:400; }
.gain { color:var(--gain); } .loss { color:var(--loss); }
.panel { background:var(--panel); border:1px solid var(--line); border-radius:8px; padding:16px; margin-bottom:16px; }
.chart { display:grid; grid-template-columns:minmax(0,1fr) auto; margin:0 0 16px; }
.chart:last-child { margin-bottom:0; }
.chart figcaption { grid-column:1/-1; font-weight:600; font-size:13px; margin-bottom:4px; }
.chart figcaption small { font-weight:400; }
.plot { border:1px solid var(--line); border-radius:4px; background:var(--raised); }
.plot > svg { display:block; width:100%; height:150px; overflow:hidden; } .price .plot > svg { height:260px; } .lane .plot > svg { height:18px; }
.scale { position:relative; min-width:72px; color:var(--soft); font-size:11px; }
.scale span { position:absolute; left:8px; transform:translateY(-50%); white-space:nowrap; }
.times { display:flex; justify-content:space-between; color:var(--soft); font-size:11px; margin-top:2px; }
.grid { stroke:var(--grid); } .fault { stroke:var(--loss); stroke-dasharray:2 3; opacity:.7; }
.line { fill:none; stroke:var(--series); stroke-width:1.5; vector-effect:non-scaling-stroke; }
.band, .area { fill:var(--band); }
.mark { overflow:visible; } .mark path { stroke-width:1.5; }
.buy { fill:var(--gain); stroke:var(--gain); } .sell { fill:var(--loss); stroke:var(--loss); } .mark .maker { fill:var(--panel); }
.lost { fill:var(--loss); } .other { fill:var(--soft); }
.legend { color:var(--soft); font-size:12px; margin-bottom:12px; }
.table { background:var(--panel); border:1px solid var(--line); border-radius:8px; padding:16px; margin-bottom:16px; }
.scroll { overflow-x:auto; } .scroll:focus-visible { outline:2px solid var(--accent); }
table { border-collapse:collapse; width:100%; font-size:13px; }
th, td { text-align:left; padding:5px 12px 5px 0; border-bottom:1px solid var(--line); white-space:nowrap; vertical-align:top; }
td:first-child, th:first-child { padding-left:2px; } tbody tr:last-child td { border-bottom:0; }
th { color:var(--soft); font-weight:500; } .figure { text-align:right; } .none { color:var(--soft); }
.wide { white-space:normal; min-width:22ch; }
footer { margin-top:48px; color:var(--soft); font-size:13px; }
@media (max-width:600px) { main { padding:20px 16px 48px; } h1 { font-size:22px; } .price .plot > svg { height:200px; }
  .tiles { grid-template-columns:1fr 1fr; } .tile:last-child:nth-child(odd) { grid-column:1/-1; } .tile { padding:10px 12px; } .tile dd { font-size:16px; } .panel, .table { padding:12px; }
  .scale { min-width:58px; } .times span:nth-child(2), .times span:nth-child(3) { display:none; } }
@media print { body { background:#fff; } .panel, .table, .findings li { break-inside:avoid; } }
`;
