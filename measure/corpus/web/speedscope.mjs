// speedscope with a profile of 20,000 samples: views are switched, zoomed, panned, searched, sorted.
import { presses, wander } from '../gestures.mjs'

const frames = Array.from({ length: 400 }, (_, i) => ({ name: `function${i}`, file: `module${i % 20}.js`, line: i }))
let random = 7
const below = (n) => (random = (random * 1103515245 + 12345) % 2147483648) % n
const stack = []
const samples = Array.from({ length: 20_000 }, () => {
  if (stack.length > 0 && below(5) < 2) stack.length -= Math.min(stack.length, 1 + below(3))
  while (stack.length < 3 || (stack.length < 28 && below(3) === 0)) stack.push(below(400))
  return [...stack]
})
const profile = JSON.stringify({
  $schema: 'https://www.speedscope.app/file-format-schema.json',
  shared: { frames },
  profiles: [
    {
      type: 'sampled',
      name: 'made up',
      unit: 'milliseconds',
      startValue: 0,
      endValue: samples.length,
      samples,
      weights: samples.map(() => 1),
    },
  ],
})

export default {
  title: 'speedscope',
  package: ['npm', 'speedscope'],
  async serve({ module, site }) {
    const { url } = await site(
      { '/profile.json': ['application/json', () => profile] },
      { '/': module('speedscope/dist/release') },
    )
    return { url: `${url}index.html#profileURL=${encodeURIComponent(`${url}profile.json`)}` }
  },
  ready: 'canvas',
  first: [['settle', async (page) => page.sleep(800)]],
  actions: [
    ...['1', '2', '3'].map((key) => [
      `view ${key}`,
      async (page) => {
        await page.press(key)
        await page.sleep(900)
        await wander(page, 8, (i) => [200 + i * 90, 300 + (i % 3) * 30], { steps: 3, pause: 90 })
      },
    ]),
    [
      'zoom',
      async (page) => {
        await page.press('1')
        await page.move(640, 360)
        for (let i = 0; i < 10; i++) (await page.press(i < 5 ? '+' : '-').catch(() => {}), await page.sleep(120))
      },
    ],
    ['pan', (page) => presses(page, ['d', 'd', 's', 's', 'a', 'w'], 160)],
    [
      'wheel',
      async (page) => {
        for (let i = 0; i < 12; i++) (await page.scroll(i % 2 ? 180 : -90), await page.sleep(80))
      },
    ],
    [
      'choose a frame',
      async (page, n) => {
        await page.mouse(300 + ((n * 97) % 500), 300 + ((n * 31) % 200))
        await page.sleep(500)
        await page.press('0')
      },
    ],
    [
      'search',
      async (page) => {
        await page.press('Control+F')
        await page.sleep(300)
        await page.type(null, 'function12', 70)
        await page.press('Enter')
        await page.sleep(500)
        await page.press('Escape')
      },
    ],
  ],
}
