import type { Command } from 'commander'
import { loadConfig, version } from '../config/config.ts'
import type { App } from '../server/app.ts'
import { forwardLine } from './admin.ts'
import { endSoon } from './end-process.ts'
import { CommandError, type Io, jsonLine, wantsJson } from './io.ts'
import { addSettingFlags, configSources, newCommand } from './options.ts'

/** Time for open answers after a stop signal. A second signal ends them at once. */
const stopGraceMs = 5_000

export function serveCommand(io: Io): Command {
  const command = addSettingFlags(newCommand('serve', 'start the server'))
  return command.action(async () => {
    const sources = configSources(command, io)
    const config = loadConfig(sources)
    const isJson = wantsJson(command)
    const [{ startApp }, { createLog }, { LogTail }] = await Promise.all([
      import('../server/app.ts'),
      import('../telemetry/log.ts'),
      import('../telemetry/log-tail.ts'),
    ])
    const tail = new LogTail()
    const log = createLog({ level: config.logLevel, format: config.logFormat, tail, complete: io.hint })
    const signals = stopSignals()
    const readConfig = () => loadConfig(sources)
    const app = await startApp(config, { log, tail, environment: io.environment, sources, readConfig })
    const { url, pages, lookForCertificate } = app
    // Without TLS the signal keeps its usual meaning, the end of the process.
    if (lookForCertificate !== undefined) process.on('SIGHUP', () => void lookForCertificate())
    log.info({ url, ...pages, data: config.data, pid: process.pid, version }, 'listening')
    if (isJson) printEvents(io, app)
    else io.out(welcomeText(app, { io, operator: await operatorLines(app, io) }))
    const signal = await Promise.race([signals.next(), app.restarts])
    log.info({ signal }, signal === undefined ? 'restarting' : 'stopping')
    if (isJson) io.out(jsonLine({ event: 'stopping', signal }))
    await Promise.race([app.stop(stopGraceMs), signals.next().then(() => process.exit(1))])
    if (isJson) io.out(jsonLine({ event: 'stopped' }))
    endSoon()
    if (signal === undefined)
      throw new CommandError('stopped, to be started again', { exitCode: app.config.restartStatus ?? 1 })
  })
}

/** Queues the signals that ask for an end, so that none is lost between two calls. */
function stopSignals(): { next(): Promise<string> } {
  const arrived: string[] = []
  let wake: (() => void) | undefined
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      arrived.push(signal)
      wake?.()
    })
  }
  return {
    async next() {
      for (;;) {
        const signal = arrived.shift()
        if (signal !== undefined) return signal
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

const setupWords = 'admin link'

function printEvents(io: Io, { url, ollamaUrl, pages, firstKey, makeSetupLink }: App): void {
  if (firstKey !== undefined) io.out(jsonLine({ event: 'first-key', ...firstKey }))
  if (makeSetupLink !== undefined) io.out(jsonLine({ event: 'setup', command: io.command(setupWords) }))
  io.out(jsonLine({ event: 'listening', url, baseUrl: `${url}/v1`, ollamaUrl, ...pages, pid: process.pid, version }))
}

/**
 * Returns the address of the operator's pages, with a setup link if nobody can sign in yet. The link goes only to a
 * terminal, because journals are kept.
 */
async function operatorLines({ pages, makeSetupLink }: App, io: Io): Promise<string[]> {
  const { adminUrl } = pages
  if (adminUrl === undefined) return []
  if (makeSetupLink === undefined) return [`  Operator   ${adminUrl}`]
  if (!io.isTerminal)
    return [`  Operator   ${adminUrl}`, `             no one can sign in yet: ${io.command(setupWords)}`]
  const link = await makeSetupLink()
  const forward = forwardLine(link)
  return [
    `  Operator   ${link}`,
    '             (good once, for 30 minutes)',
    ...(forward === undefined ? [] : [`             ${forward}`]),
  ]
}

interface Welcome {
  readonly io: Io
  readonly operator: readonly string[]
}

function welcomeText(
  { config, url, ollamaUrl, pages, firstKey, exampleModel }: App,
  { io, operator }: Welcome,
): string {
  const baseUrl = `${config.publicUrl ?? url}/v1`
  const key = firstKey?.key ?? '$API_KEY'
  const body = JSON.stringify({ model: exampleModel ?? 'MODEL', messages: [{ role: 'user', content: 'Hello!' }] })
  return [
    `inferd ${version} is listening.`,
    '',
    `  Base URL   ${baseUrl}`,
    firstKey === undefined
      ? `  API key    one made before, or a new one: ${io.command('keys create --name NAME')}`
      : `  API key    ${firstKey.key}   (shown this once: keep it)`,
    ...(ollamaUrl === undefined ? [] : [`  Ollama     ${ollamaUrl}   (for programs that speak its API)`]),
    ...(config.ollamaKeyless ? ['  No key     programs on this machine need none, and the operator pays'] : []),
    `  Data       ${config.data}`,
    `  Dashboard  ${pages.dashboardUrl}`,
    ...operator,
    '',
    `  curl ${baseUrl}/chat/completions \\`,
    `    -H "Authorization: Bearer ${key}" \\`,
    '    -H "Content-Type: application/json" \\',
    `    -d '${body}'`,
    '',
    '',
  ].join('\n')
}
