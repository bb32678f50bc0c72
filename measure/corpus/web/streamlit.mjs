// Streamlit: an app with a slider, a text field, buttons, a table and a chart that all run the script again.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { presses, rectangle, scrollAround, times } from '../gestures.mjs'

const THUMB =
  '[data-testid="stSlider"] input[type=range], [data-testid="stSlider"] [role=slider], ' +
  '[data-testid="stSliderThumbValue"]'

const app = `
import time
import pandas as pd
import streamlit as st

st.title("A small app")
n = st.slider("n", 10, 400, 100)
word = st.text_input("word", "hello")
if "count" not in st.session_state:
    st.session_state.count = 0
if st.button("count"):
    st.session_state.count += 1
st.write(f"{word} {st.session_state.count}")
squares, waves = [i * i for i in range(n)], [((i * 37) % 91) / 9 for i in range(n)]
table = pd.DataFrame({"i": range(n), "square": squares, "wave": waves})
left, right = st.columns(2)
left.line_chart(table, x="i", y=["wave"])
right.dataframe(table)
with st.expander("more"):
    st.json({"n": n, "word": word})
bar = st.progress(0)
for i in range(10):
    bar.progress((i + 1) * 10)
    time.sleep(0.02)
`

export default {
  title: 'Streamlit',
  package: ['pip', 'streamlit'],
  async serve({ python, dir, port, start }) {
    writeFileSync(path.join(dir, 'app.py'), app)
    await start(
      python('streamlit'),
      [
        'run',
        path.join(dir, 'app.py'),
        '--server.headless',
        'true',
        '--server.port',
        String(port),
        '--server.address',
        '127.0.0.1',
        '--browser.gatherUsageStats',
        'false',
      ],
      { ready: `http://127.0.0.1:${port}/_stcore/health`, env: { HOME: dir } },
    )
    return { url: `http://127.0.0.1:${port}/` }
  },
  ready: '[data-testid="stDataFrame"]',
  first: [['settle', async (page) => page.sleep(800)]],
  actions: [
    [
      'slider',
      async (page, n) => {
        await page.click(THUMB)
        await presses(page, times(6, n % 2 ? 'ArrowLeft' : 'ArrowRight'), 120)
        await page.sleep(900)
      },
    ],
    [
      'drag the slider',
      async (page, n) => {
        const { x, y, width, height } = await rectangle(page, '[data-testid="stSliderThumbValue"]')
        const thumb = { x: x + width / 2, y: y + height + 6 }
        await page.drag(thumb, { x: thumb.x + (n % 2 ? -90 : 120), y: thumb.y }, 15)
        await page.sleep(900)
      },
    ],
    [
      'word',
      async (page, n) => {
        await page.type('[data-testid="stTextInput"] input', `${n}`, 80)
        await page.press('Enter')
        await page.sleep(900)
      },
    ],
    [
      'count',
      async (page) => {
        for (let i = 0; i < 4; i++) (await page.click('[data-testid="stButton"] button'), await page.sleep(500))
      },
    ],
    [
      'table',
      async (page) => {
        await page.hover('[data-testid="stDataFrame"]')
        await scrollAround(page, { down: 4, by: 200, pause: 120 })
      },
    ],
    [
      'more',
      async (page) => {
        await page.click('[data-testid="stExpander"] summary')
        await page.sleep(500)
      },
    ],
  ],
}
