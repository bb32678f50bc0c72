/** What lists are filtered by. */
import { h } from './dom.ts'

/** One of several values; `''` stands for all of them. */
export function choice(
  label: string,
  all: string,
  values: [value: string, text: string][],
  chosen: (value: string) => void,
): HTMLElement {
  const select = h(
    'select',
    { 'aria-label': label, onchange: () => chosen(select.value) },
    [['', all], ...values].map(([value, text]) => h('option', { value: value! }, text!)),
  )
  return select
}

export function tick(label: string, chosen: (on: boolean) => void, on = false): HTMLElement {
  const box = h('input', { type: 'checkbox', checked: on, onchange: () => chosen(box.checked) })
  return h('label', {}, box, ` ${label}`)
}
