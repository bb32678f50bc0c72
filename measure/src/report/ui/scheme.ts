/** Light or dark: as the system has it, or as the reader chooses; paper is always light. */
import { h } from './dom.ts'
import { redrawAll } from './plot.ts'

const SCHEMES = ['light dark', 'light', 'dark']

/** The button that goes on to the next scheme. */
export function schemeButton(): HTMLElement {
  const { dataset, style } = document.documentElement
  const button = h(
    'button',
    {
      type: 'button',
      class: 'scheme',
      title: 'Colours: as the system, light, dark',
      onclick: () => {
        const now = dataset.scheme ?? SCHEMES[0]!
        const next = SCHEMES[(SCHEMES.indexOf(now) + 1) % SCHEMES.length]!
        dataset.scheme = style.colorScheme = next
        button.textContent = next === 'light dark' ? 'auto' : next
        redrawAll()
      },
    },
    'auto',
  )
  return button
}

/** Figures are drawn again when the system's scheme changes, and in light colours for a printer. */
export function redrawWithScheme(): void {
  const { dataset, style } = document.documentElement
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawAll)
  let before = ''
  addEventListener('beforeprint', () => {
    before = style.colorScheme
    style.colorScheme = 'light'
    dataset.printing = ''
    redrawAll()
  })
  addEventListener('afterprint', () => {
    style.colorScheme = before
    delete dataset.printing
    redrawAll()
  })
}
