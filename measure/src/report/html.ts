/**
 * The report as one HTML file that needs nothing else: no network, no server. It holds the figures, not the recording,
 * so that its size does not depend on the recording's length. Nothing in a trace is trusted: the figures stand in a
 * block that no text can end, and the page only ever sets text.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Figures } from '../analysis/figures.ts'
import { MeasureError } from '../format/error.ts'
import { visible, visibleIn } from '../format/visible.ts'

/** One view for each of `figures`, the first is shown; several recordings: their pool first. */
export function htmlReport(figures: Figures[]): string {
  const data = JSON.stringify(visibleIn(figures))
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
  const title = escape(visible(figures[0]?.title ?? 'charcoal-measure'))
  const script = part('report-ui.js').replaceAll('</script', '<\\/script')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>${title} · continuations</title>
<style>${part('report-ui.css')}</style>
</head>
<body>
<div id="app"><noscript>This report draws itself with JavaScript.</noscript></div>
<script type="application/json" id="figures">${data}</script>
<script>${script}</script>
</body>
</html>
`
}

const escape = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)

/** A file of the page's bundle, which `scripts/build.mjs` puts into dist/. */
function part(name: string): string {
  const here = path.dirname(fileURLToPath(import.meta.url))
  const places = [here, path.join(here, '../../dist'), path.join(process.env.CHARCOAL_MEASURE ?? here, 'dist')]
  const place = places.find((folder) => existsSync(path.join(folder, name)))
  if (place === undefined)
    throw new MeasureError(`the report's ${name} is missing: build it with "npm run build" in measure/`, 2)
  return readFileSync(path.join(place, name), 'utf8')
}
