/** A site as an element: kind, function, and the place as a link where the address is one that a browser may open. */
import { placeText, type Site } from '../../analysis/sites.ts'
import { h } from './dom.ts'

/** `sites`: those of the whole recording. */
export function source(site: Site | undefined, sites: readonly Site[]): HTMLElement {
  if (site === undefined) return h('span', {}, '?')
  const original = site.original
  const url = original?.source ?? site.url
  const line = original?.line ?? site.line ?? 0
  const column = original?.column ?? site.column ?? 0
  const name = original?.name ?? site.function
  const place = placeText(site, sites) ?? null
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
