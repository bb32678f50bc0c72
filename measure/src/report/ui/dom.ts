/**
 * Elements from calls: `h('a', { href }, 'text')`. Text is set as text, never as markup; `on…` properties are
 * listeners.
 */
type Child = Node | string | number | null | undefined | false | Child[]
type Props = Record<string, string | number | boolean | ((event: any) => void) | undefined>

export const SVG = 'http://www.w3.org/2000/svg'

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), props, children)
}

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, tag), props, children)
}

function fill<E extends Element>(element: E, props: Props, children: Child[]): E {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else element.setAttribute(name, value === true ? '' : String(value))
  }
  append(element, children)
  return element
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child)
    else if (child !== null && child !== undefined && child !== false)
      element.append(typeof child === 'number' ? String(child) : child)
  }
}
