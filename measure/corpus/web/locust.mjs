// Locust puts itself under load; its page shows the numbers, charts and failures as they come.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { wander } from '../gestures.mjs'

const users = `
from locust import HttpUser, between, task

class Reader(HttpUser):
    wait_time = between(0.2, 0.6)

    @task(3)
    def page(self):
        self.client.get("/")

    @task
    def numbers(self):
        self.client.get("/stats/requests")

    @task
    def missing(self):
        self.client.get("/missing")
`

const tab = (name) => async (page) => {
  await page.click(`text=${name}`)
  await page.sleep(1600)
}

export default {
  title: 'Locust',
  package: ['pip', 'locust'],
  async serve({ python, dir, port, start }) {
    const file = path.join(dir, 'locustfile.py')
    const url = `http://127.0.0.1:${port}/`
    writeFileSync(file, users)
    await start(
      python('locust'),
      ['-f', file, '--web-host', '127.0.0.1', '--web-port', String(port), '--host', url, '--autostart'].concat([
        ...['--users', '10', '--spawn-rate', '2'],
      ]),
      { ready: `${url}stats/requests`, env: { HOME: dir } },
    )
    return { url }
  },
  ready: '[role=tab], table',
  actions: [
    ['statistics', tab('Statistics')],
    [
      'sort',
      async (page) => {
        await page.click('thead th')
        await page.sleep(500)
      },
    ],
    [
      'charts',
      async (page) => {
        await tab('Charts')(page)
        await page.hover('canvas')
        await wander(page, 12, (i) => [300 + i * 25, 300 + (i % 4) * 5], { steps: 2, pause: 40 })
      },
    ],
    ['failures', tab('Failures')],
    ['ratio', tab('Current Ratio')],
    ['logs', tab('Logs')],
  ],
}
