/** A site as an element: kind, function, and the place as a link where the address is one that a browser may open. */
import type { Site } from '../../analysis/sites.ts'
import { shortUrl } from '../../analysis/sites.ts'
import { h } from './dom.ts'

export function source(site: Site | undefined): HTMLElement {
  if (site === undefined) return h('span', {}, '?')
  const original = site.original
  const url = original?.source ?? site.url
  const line = original?.line ?? site.line ?? 0
  const column = original?.column ?? site.column ?? 0
  const name = original?.name ?? site.function
  const place =
    url === undefined
      ? null
      : `${shortUrl(url)}${line > 0 ? `:${line}` : ''}${column > 1 && line <= 3 ? `:${column}` : ''}`
  return h(
    'span',
    { class: 'site' },
    h('span', { class: 'kind' }, site.kind),
    name ? h('span', { class: 'fn' }, ` ${name}`) : null,
    place === null ? null : ' ',
    place === null
      ? null
      : /^(https?|file):/.test(url!)
        ? h('a', { href: url!, title: `${url}:${line}:${column}`, target: '_blank', rel: 'noreferrer' }, place)
        : h('span', { title: `${url}:${line}:${column}` }, place),
  )
}
