import { Command, CommanderError } from 'commander'
import { version } from '../config/config.ts'
import { ConfigError } from '../config/kinds.ts'
import { variableWarnings } from '../config/sources.ts'
import { errorText } from '../core/error-text.ts'
import { type CommandReach, ownCommand, usualReach, withOwnCommands } from '../core/own-commands.ts'
import { printable, printableLine } from '../core/printable.ts'
import { adminCommand } from './admin.ts'
import { auditCommand } from './audit.ts'
import { backupCommand, restoreCommand } from './backup.ts'
import { bundleCommand } from './bundle/bundle.ts'
import { catalogCommand } from './catalog.ts'
import { checkCommand } from './check.ts'
import { completionCommand } from './completion.ts'
import { configCommand } from './config.ts'
import { doctorCommand } from './doctor.ts'
import { duCommand } from './du.ts'
import { embedCommand } from './embed.ts'
import { endpointsCommand } from './endpoints.ts'
import { gcCommand } from './gc.ts'
import { gpuCommand } from './gpu/gpu.ts'
import { arrangeHelp, helpCommand, helpTexts } from './help.ts'
import { importCommand } from './import.ts'
import { CommandError, type Io, type ProcessIo, printAnswer, UsageError } from './io.ts'
import { keysCommand } from './keys.ts'
import { isStyled, layOut } from './layout.ts'
import { creditCommand, ledgerCommand } from './ledger.ts'
import { limitsCommand } from './limits.ts'
import { listCommand } from './list.ts'
import { logsCommand } from './logs.ts'
import { modelsCommand } from './models.ts'
import { newCommand } from './options.ts'
import { outboxCommand } from './outbox.ts'
import { processIo } from './process-io.ts'
import { psCommand } from './ps.ts'
import { pullCommand } from './pull/pull.ts'
import { reachOf, requireFolder } from './reach.ts'
import { receiptCommand } from './receipt.ts'
import { requestsCommand } from './requests.ts'
import { rmCommand } from './rm.ts'
import { runCommand } from './run.ts'
import { searchCommand } from './search.ts'
import { serveCommand } from './serve.ts'
import { sessionsCommand } from './sessions.ts'
import { speakCommand } from './speak.ts'
import { teamsCommand } from './teams.ts'
import { tlsCommand } from './tls.ts'
import { transcribeCommand } from './transcribe.ts'
import { usageCommand } from './usage.ts'
import { usersCommand } from './users.ts'
import { verifyCommand } from './verify.ts'
import { vouchersCommand } from './vouchers.ts'
import { webhooksCommand } from './webhooks.ts'

/** Makes texts safe for the terminal: names and reasons come from files of any origin. */
function commandIo(io: ProcessIo, reach: () => CommandReach): Io {
  const hint = (text: string) => withOwnCommands(text, reach())
  const screen = { width: io.width, isStyled: isStyled(io.environment, io.isTerminal) }
  return {
    ...io,
    command: (words) => ownCommand(words, reach()),
    hint,
    outStyled: io.out,
    out: (text) => io.out(layOut(printable(text), screen)),
    deliver: (text) => io.deliver(printable(text)),
    error: (text) => io.error(printable(hint(text))),
    redraw: io.redraw && ((line) => io.redraw?.(printableLine(line))),
    ask: (question, options) => io.ask(printableLine(question), options),
  }
}

const exitCodes = { done: 0, failed: 1, wrongUsage: 2 } as const

/** Runs one command line and resolves to the exit code: 0 done, 1 failed, 2 wrong usage; a command may have others. */
export async function runCli(words: readonly string[], given: ProcessIo = processIo()): Promise<number> {
  let reach = usualReach
  const io = commandIo(given, () => reach)
  const onAction = (command: Command) => {
    reach = reachOf(command, io)
    return requireFolder(command, io)
  }
  try {
    await buildProgram(io, onAction).parseAsync(withCommand(words), { from: 'user' })
    return exitCodes.done
  } catch (error) {
    // Commander has already printed the help or the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUsage
    const message = errorText(error)
    io.error(`inferd: ${message}\n`)
    if (error instanceof CommandError) return error.exitCode
    const isWrongUsage = [UsageError, ConfigError].some((kind) => error instanceof kind)
    return isWrongUsage ? exitCodes.wrongUsage : exitCodes.failed
  }
}

/** Adds `serve` to words without a command: `inferd --port 8080` just works. */
function withCommand(words: readonly string[]): string[] {
  const [first] = words
  const isServe = first === undefined || (first.startsWith('-') && !['-h', '--help', '-V', '--version'].includes(first))
  return isServe ? ['serve', ...words] : [...words]
}

function versionCommand(io: Io): Command {
  const command = newCommand('version', 'print the version')
  return command.action(() => printAnswer(command, io, { version, bun: Bun.version }, () => `${version}\n`))
}

/** Commands in the order of `--help`, which `help.ts` groups. */
const commands = [
  serveCommand,
  adminCommand,
  psCommand,
  logsCommand,
  configCommand,
  runCommand,
  transcribeCommand,
  speakCommand,
  embedCommand,
  listCommand,
  searchCommand,
  pullCommand,
  importCommand,
  modelsCommand,
  verifyCommand,
  rmCommand,
  duCommand,
  gcCommand,
  catalogCommand,
  checkCommand,
  endpointsCommand,
  bundleCommand,
  usersCommand,
  sessionsCommand,
  keysCommand,
  teamsCommand,
  limitsCommand,
  creditCommand,
  vouchersCommand,
  ledgerCommand,
  usageCommand,
  receiptCommand,
  outboxCommand,
  doctorCommand,
  tlsCommand,
  gpuCommand,
  backupCommand,
  restoreCommand,
  webhooksCommand,
  requestsCommand,
  auditCommand,
  completionCommand,
  versionCommand,
  helpCommand,
]

/** Width of help texts that do not go to a terminal, in columns. */
const pipeWidth = 80

/** Builds the program. `onAction` is called with each command before it runs. */
export function buildProgram(io: Io, onAction: (command: Command) => Promise<void>): Command {
  const program = new Command('inferd')
    .description('Serves language models over HTTP. Without a command: serve.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    // Flags after a subcommand belong to it, even if its parent has flags of the same name.
    .enablePositionalOptions()
  program.hook('preAction', async (_, command) => {
    for (const warning of variableWarnings(io.environment)) io.error(`inferd: warning: ${warning}\n`)
    await onAction(command)
  })
  for (const command of commands) program.addCommand(command(io))
  arrangeHelp(program)
  const minWidthToWrap = io.width === undefined ? 40 : 10
  const helpForm = { ...helpTexts, minWidthToWrap }
  for (const command of allCommands(program)) {
    // Throw instead of exiting: only main.ts ends the process.
    command.exitOverride()
    command.configureHelp(helpForm)
    command.configureOutput({
      writeOut: io.out,
      getOutHelpWidth: () => io.width ?? pipeWidth,
      getErrHelpWidth: () => io.width ?? pipeWidth,
      writeErr: (text) => io.error(layOut(text, { width: undefined, isStyled: false })),
      // Our own layout decides on emphasis.
      getOutHasColors: () => true,
      getErrHasColors: () => true,
      outputError: (text, write) => write(oneLine(text)),
    })
    command.allowExcessArguments(false)
  }
  return program
}

/** Returns Commander's complaint as one line of ours. */
function oneLine(text: string): string {
  return `${text
    .replace(/^error: /, 'inferd: ')
    .trimEnd()
    .replaceAll('\n', ' ')}\n`
}

function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)]
}
