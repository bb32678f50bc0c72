// TensorBoard over eight runs of made-up training: charts are read, smoothed, filtered, reloaded.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { erase, rectangle, scrollAround, wander } from '../gestures.mjs'

const data = `
import math, os, random, sys
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter
random.seed(1)
for run in range(8):
    w = EventFileWriter(os.path.join(sys.argv[1], f"run{run}"))
    for step in range(400):
        values = {
            "loss/train": math.exp(-step / (60 + 10 * run)) + random.random() * 0.05,
            "loss/test": math.exp(-step / (70 + 9 * run)) + random.random() * 0.1,
            "accuracy": 1 - math.exp(-step / 90) * (1 - run / 20) + random.random() * 0.02,
            "rate": 0.1 / (1 + step / 50),
        }
        for tag, v in values.items():
            summary = Summary(value=[Summary.Value(tag=tag, simple_value=v)])
            w.add_event(Event(wall_time=1.7e9 + step, step=step, summary=summary))
    w.close()
`

export default {
  title: 'TensorBoard',
  package: ['pip', 'tensorboard'],
  async serve({ python, dir, port, start, run }) {
    writeFileSync(path.join(dir, 'data.py'), data)
    await run(python('python'), [path.join(dir, 'data.py'), path.join(dir, 'logs')])
    await start(
      python('tensorboard'),
      [
        '--logdir',
        path.join(dir, 'logs'),
        '--port',
        String(port),
        '--host',
        '127.0.0.1',
        '--load_fast=false',
        '--reload_interval',
        '5',
      ],
      { ready: `http://127.0.0.1:${port}/data/environment`, env: { HOME: dir } },
    )
    await new Promise((done) => setTimeout(done, 3000))
    return { url: `http://127.0.0.1:${port}/#timeseries` }
  },
  ready: 'line-chart, card-view',
  actions: [
    [
      'read a chart',
      async (page) => {
        await page.hover('line-chart')
        const point = (i) => [420 + i * 9, 330 + (i % 5) * 4]
        await wander(page, 25, point, { steps: 2, pause: 30, act: () => page.scroll(0) })
      },
    ],
    [
      'zoom a chart',
      async (page) => {
        const { x, y, width, height } = await rectangle(page, 'line-chart')
        const inside = (share) => ({ x: x + width * share, y: y + height * share })
        await page.drag(inside(0.3), inside(0.6), 12)
        await page.sleep(600)
        await page.doubleClick('line-chart')
        await page.sleep(400)
      },
    ],
    [
      'filter tags',
      async (page) => {
        await page.type('input[placeholder^="Filter tags"]', 'loss', 80)
        await page.sleep(900)
        await erase(page, 4)
        await page.sleep(600)
      },
    ],
    [
      'choose runs',
      async (page, n) => {
        const boxes = await page.evaluate(() =>
          [
            ...document.querySelectorAll(
              'runs-data-table mat-checkbox, runs-table mat-checkbox, tb-data-table-content-row mat-checkbox',
            ),
          ]
            .map((e) => e.getBoundingClientRect())
            .map((r) => ({ x: r.left + r.width / 2, y: r.top + r.height / 2 })),
        )
        const box = boxes[1 + (n % Math.max(1, boxes.length - 1))]
        if (box) await page.mouse(box.x, box.y)
        await page.sleep(700)
      },
    ],
    [
      'smoothing',
      async (page) => {
        await page.click('.slider-input, input[type="number"]', { count: 2 })
        await page.type(null, '0.8', 80)
        await page.press('Enter')
        await page.sleep(900)
      },
    ],
    ['scroll', (page) => scrollAround(page, { down: 3, by: 250, pause: 150, over: 'line-chart' })],
    [
      'reload',
      async (page) => {
        await page.click('app-header-reload button, .reload-button')
        await page.sleep(1500)
      },
    ],
    [
      'scalars tab',
      async (page) => {
        await page.click('text=Scalars')
        await page.sleep(2500)
        await page.click('text=Time Series')
        await page.sleep(2000)
      },
    ],
  ],
}
