// What the sessions with web applications have in common: things that a user does with several inputs in a row.

/** The rectangle of the first element that the selector finds: its left upper corner and its size. */
export const rectangle = (page, selector) =>
  page.evaluate((text) => {
    const { left: x, top: y, width, height } = document.querySelector(text).getBoundingClientRect()
    return { x, y, width, height }
  }, selector)

export async function centre(page, selector) {
  const { x, y, width, height } = await rectangle(page, selector)
  return { x: x + width / 2, y: y + height / 2 }
}

/** Presses one key after the other, with a pause of so many milliseconds behind each. */
export async function presses(page, keys, pause) {
  for (const key of keys) {
    await page.press(key)
    await page.sleep(pause)
  }
}

export const times = (n, key) => Array(n).fill(key)

/** Takes the last `n` characters away from where the text cursor is. */
export async function erase(page, n) {
  for (const key of times(n, 'Backspace')) await page.press(key)
}

/** Turns the wheel down `down` times and up `up` times, over the selector's element or where the mouse is. */
export async function scrollAround(page, { down, up = down, by, pause, over }) {
  for (let i = 0; i < down + up; i++) {
    await page.scroll(i < down ? by : -by, over)
    await page.sleep(pause)
  }
}

/** Moves the mouse to `n` points, each in `steps` moves. `act`: what is done before each. */
export async function wander(page, n, point, { steps, pause, act = async () => {} }) {
  for (let i = 0; i < n; i++) {
    await act()
    const [x, y] = point(i)
    await page.move(x, y, steps)
    await page.sleep(pause)
  }
}

/** Opens something with a key, writes a word into it, looks at what it finds, and closes it. */
export async function lookUp(page, key, word, { opens, pause, reads }) {
  await page.press(key)
  await page.sleep(opens)
  await page.type(null, word, pause)
  await page.sleep(reads)
  await page.press('Escape')
}
