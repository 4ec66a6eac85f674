/** A mail server that answers by a script, and records everything it receives. */
import { createServer, type Server, type Socket } from 'node:net'

export interface SmtpScript {
  /** Extensions offered after EHLO, such as `STARTTLS` and `AUTH PLAIN`. */
  readonly extensions?: readonly string[]
  /** Replaces the usual answer to a command, by its first word. `close` ends the connection, `hang` sends nothing. */
  readonly answers?: Readonly<Record<string, string>>
}

export interface SmtpTestServer extends AsyncDisposable {
  readonly port: number
  /** Received commands over all connections. The text of a mail is one entry. */
  readonly received: readonly string[]
  /** Resolves with the text of the next accepted mail. */
  nextMail(): Promise<string>
  /** Resolves once this command has been received. */
  heard(command: string): Promise<void>
}

const usual: Readonly<Record<string, string>> = {
  greeting: '220 test',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  text: '250 queued',
  AUTH: '235 welcome',
  QUIT: '221 bye',
}

export async function startSmtpServer(script: SmtpScript = {}): Promise<SmtpTestServer> {
  const received: string[] = []
  const sockets = new Set<Socket>()
  const listeners = new Map<string, () => void>()
  const mailWaiters: ((text: string) => void)[] = []
  const note = (line: string) => {
    received.push(line)
    listeners.get(line)?.()
    if (line.includes('\r\n')) mailWaiters.shift()?.(line)
  }
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    converse(socket, script, note)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    received,
    nextMail: () => new Promise((resolve) => mailWaiters.push(resolve)),
    heard: (command) => {
      if (received.includes(command)) return Promise.resolve()
      return new Promise((resolve) => listeners.set(command, resolve))
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function converse(socket: Socket, script: SmtpScript, note: (line: string) => void): void {
  let pending = ''
  let isText = false
  socket.on('error', () => undefined)
  const say = (command: string, fallback: string) => {
    const answer = script.answers?.[command] ?? usual[command] ?? fallback
    if (answer === 'close') socket.destroy()
    else if (answer !== 'hang') socket.write(`${answer}\r\n`)
  }
  const onCommand = (line: string) => {
    note(line)
    const command = line.split(/[ :]/)[0]?.toUpperCase() ?? ''
    if (command === 'EHLO') {
      const lines = ['test', ...(script.extensions ?? [])]
      socket.write(lines.map((text, index) => `250${index === lines.length - 1 ? ' ' : '-'}${text}\r\n`).join(''))
      return
    }
    say(command, '502 unknown')
    if (command === 'DATA') isText = true
  }
  socket.on('data', (bytes) => {
    pending += bytes.toString()
    for (;;) {
      const end = isText ? pending.indexOf('\r\n.\r\n') : pending.indexOf('\r\n')
      if (end < 0) return
      const piece = pending.slice(0, end)
      pending = pending.slice(end + (isText ? 5 : 2))
      if (!isText) onCommand(piece)
      else {
        isText = false
        note(piece)
        say('text', '')
      }
    }
  })
  say('greeting', '')
}
