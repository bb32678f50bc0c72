// lowdb 1: two that read the file, change it and write it lose what the other wrote.
import low from 'lowdb'
import FileAsync from 'lowdb/adapters/FileAsync.js'

async function add(name) {
  const db = await low(new FileAsync('db.json'))
  await db.defaults({ names: [] }).write()
  await db.get('names').push(name).write()
}
await add('first')
await Promise.all(['a', 'b', 'c'].map(add))
