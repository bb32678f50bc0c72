// A chat on Socket.IO: rooms, acknowledgements, typing notices, a history in a file, a heartbeat.
import { createServer } from 'node:http'
import { appendFile } from 'node:fs/promises'
import path from 'node:path'
import { Server } from 'socket.io'

const [port, dir] = process.argv.slice(2)
const http = createServer((request, response) => response.end('chat'))
const io = new Server(http)
const history = new Map()
io.use(async (socket, next) => {
  await new Promise((done) => setTimeout(done, 2))
  next()
})
io.on('connection', (socket) => {
  socket.on('join', async (room, answer) => {
    await socket.join(room)
    answer((history.get(room) ?? []).slice(-20))
    socket.to(room).emit('joined', socket.id)
  })
  socket.on('typing', (room) => socket.to(room).volatile.emit('typing', socket.id))
  socket.on('message', async (room, text, answer) => {
    const message = { from: socket.id, text, at: Date.now() }
    const known = history.get(room) ?? []
    await appendFile(path.join(dir, 'history.log'), `${JSON.stringify(message)}\n`)
    history.set(room, [...known.slice(-99), message])
    io.to(room).emit('message', message)
    answer(message.at)
  })
})
setInterval(() => io.emit('beat', Date.now()), 500)
http.listen(Number(port), '127.0.0.1')
