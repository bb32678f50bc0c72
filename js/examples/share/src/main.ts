/** This is the page: it has a form and a list, refreshes in the background, and watches how long its frames take. */
import { add, items, refresh, version } from './store.ts'

const $ = <E extends HTMLElement>(id: string): E => document.getElementById(id) as E
const me = new URLSearchParams(location.search).get('me') ?? 'somebody'
let pending = 0

function show(): void {
  $('list').replaceChildren(
    ...items.map((item) => {
      const li = document.createElement('li')
      li.textContent = item.text
      const by = document.createElement('span')
      by.textContent = item.by
      li.append(by)
      return li
    }),
  )
  $('status').textContent = pending === 0 ? `${items.length} items, version ${version}` : `saving ${pending} …`
}

document.querySelector('form')!.addEventListener('submit', (event) => {
  event.preventDefault()
  const input = $<HTMLInputElement>('item')
  const text = input.value.trim()
  if (text === '') return
  input.value = ''
  pending++
  show()
  void add({ text, by: me }).finally(() => {
    pending--
    show()
  })
})

// In the background, for as long as the page lives.
async function keepFresh(): Promise<void> {
  for (;;) {
    await refresh()
    show()
    await new Promise((done) => setTimeout(done, 25))
  }
}
void keepFresh()

// The page stays responsive: the longest time between two frames.
let last = performance.now()
let longest = 0
let frames = 0
requestAnimationFrame(function frame(now) {
  if (frames++ > 10) longest = Math.max(longest, now - last)
  last = now
  $('frames').textContent = `longest time between two frames: ${Math.round(longest)} ms`
  requestAnimationFrame(frame)
})

// For the test.
Object.assign(globalThis, {
  share: {
    get pending() { return pending },
    get version() { return version },
    get longest() { return longest },
    get frames() { return frames },
  },
})
