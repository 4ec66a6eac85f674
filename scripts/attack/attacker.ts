/**
 * Runs the attackers of one kind in a separate process, so that their work does not delay the measured client.
 * Arguments: the attack's name, the server's port, milliseconds, and API keys (for pages, secrets of sessions)
 * separated by commas. Prints the outcomes of the requests as JSON.
 */
import { connect, type Socket } from 'node:net'
import { type Attack, attacks } from './attacks.ts'

/** Pause of an attacker before its next request. */
const pauseMs = 20
const trickleMs = 1_000

/** Number of answers by status. `closed` counts connections that ended without one. */
type Outcomes = Record<string, number>

async function main(): Promise<void> {
  const [name = '', port = '', durationMs = '', keys = ''] = process.argv.slice(2)
  const attack: Attack | undefined = Object.entries(attacks).find(([key]) => key === name)?.[1]
  if (attack === undefined) throw new Error(`there is no attack ${JSON.stringify(name)}`)
  const body = attack.body()
  const endsAtMs = performance.now() + Number(durationMs)
  const outcomes: Outcomes = {}
  const attackers = keys.split(',').map(async (key) => {
    while (performance.now() < endsAtMs) {
      const outcome = await attackOnce({ attack, body, key, port: Number(port), endsAtMs })
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      await Bun.sleep(pauseMs)
    }
  })
  await Promise.all(attackers)
  console.log(JSON.stringify(outcomes))
}

interface OneAttack {
  readonly attack: Attack
  readonly body: Uint8Array
  readonly key: string
  readonly port: number
  readonly endsAtMs: number
}

/** Sends one request. Resolves with the status of the answer, `closed`, or `unanswered` at the end of the time. */
async function attackOnce({ attack, body, key, port, endsAtMs }: OneAttack): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port })
  let head = ''
  const { promise, resolve } = Promise.withResolvers<string>()
  const status = () => /^HTTP\/1\.1 (\d+)/.exec(head)?.[1]
  const timer = setTimeout(() => resolve('unanswered'), Math.max(0, endsAtMs - performance.now()))
  socket.on('error', () => resolve(status() ?? 'closed'))
  socket.on('close', () => resolve(status() ?? 'closed'))
  if (attack.isDeaf === true) socket.pause()
  else {
    socket.on('data', (bytes: Buffer) => {
      if (head.length < 16) head += bytes.subarray(0, 32).toString('latin1')
      if (attack.waitFor === 'answer' && status() !== undefined) resolve(status() ?? '')
    })
  }
  socket.write(requestHead(attack, key, body.length))
  const trickling = send(socket, body, attack.pace)
  const outcome = await promise
  clearTimeout(timer)
  clearInterval(trickling)
  socket.destroy()
  return outcome
}

function requestHead({ path, endedKeys, headers }: Attack, key: string, length: number): string {
  const fields = {
    host: '127.0.0.1',
    ...(endedKeys === undefined
      ? { authorization: `Bearer ${key}` }
      : { origin: 'http://127.0.0.1', cookie: `inferd_session=${key}` }),
    'content-type': 'application/json',
    'content-length': String(length),
    connection: 'close',
    ...headers,
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return [`POST ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')
}

function send(socket: Socket, body: Uint8Array, pace: Attack['pace']): Timer | undefined {
  if (pace === undefined) {
    socket.write(body)
    return undefined
  }
  let sent = 0
  return setInterval(() => socket.write(body.subarray(sent, ++sent)), trickleMs)
}

await main()
process.exit(0)
