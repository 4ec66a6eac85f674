import { Command } from 'commander'
import { type Columns, count, formatTable, secondOf } from './format.ts'
import { CommandError, type Io, printAnswer } from './io.ts'
import { newCommand } from './options.ts'
import { type OperationAnswer, operationTarget, perform, performAndPrint } from './perform.ts'

type Endpoint = OperationAnswer<'endpoints-list'>['endpoints'][number]

const lookEveryMs = 200
/** Longest wait for a drain. Every request ends within this time. */
const waitLimitMs = 31 * 60_000

export function endpointsCommand(io: Io): Command {
  return new Command('endpoints')
    .description('show the endpoints of upstream models, and keep requests from one of them')
    .addCommand(listCommand(io), { isDefault: true })
    .addCommand(drainCommand(io))
    .addCommand(resumeCommand(io))
}

function listCommand(io: Io): Command {
  const command = newCommand('list', 'show them, of all models or of one: state, requests, failures').argument(
    '[model]',
    'its id or an alias',
  )
  return command.action((model: string | undefined) =>
    performAndPrint(command, io, 'endpoints-list', model === undefined ? {} : { model }, ({ endpoints }) =>
      endpoints.length === 0
        ? `${model === undefined ? 'No model is' : `${model} is not`} served by upstream servers.\n`
        : formatTable(endpoints, columns),
    ),
  )
}

function onEndpoint(name: string, summary: string): Command {
  return newCommand(name, summary)
    .argument('<model>', 'its id or an alias')
    .argument('<endpoint>', 'its URL as listed, or its host and port')
}

function drainCommand(io: Io): Command {
  const command = onEndpoint(
    'drain',
    'send no further request to an endpoint, and wait until those that it has have ended; it lasts until it is resumed or this server restarts',
  ).option('--no-wait', 'only say how many requests it has')
  return command.action(async (model: string, endpoint: string) => {
    const target = operationTarget(command, io)
    const drained = await perform(target, 'endpoints-drain', { model, endpoint })
    const giveUpAtMs = performance.now() + waitLimitMs
    let { outstanding } = drained
    let told = 0
    while (command.getOptionValue('wait') === true && outstanding > 0) {
      if (outstanding !== told)
        (io.redraw ?? io.error)(`${leftText(outstanding)}${io.redraw === undefined ? '\n' : ''}`)
      told = outstanding
      await Bun.sleep(lookEveryMs)
      const { endpoints } = await perform(target, 'endpoints-list', { model: drained.model })
      const now = endpoints.find(({ url }) => url === drained.url)
      if (now?.state !== 'draining') throw new CommandError(`${drained.url} was resumed meanwhile`)
      outstanding = now.outstanding
      if (performance.now() > giveUpAtMs)
        throw new CommandError(`${leftText(outstanding)}; run this command again to wait on`)
    }
    printAnswer(command, io, { ...drained, outstanding }, () =>
      outstanding > 0
        ? `${leftText(outstanding)}.\n`
        : io.hint(`${drained.url} is drained; 'inferd endpoints resume ${model} ${endpoint}' undoes it.\n`),
    )
  })
}

function resumeCommand(io: Io): Command {
  const command = onEndpoint('resume', 'let requests in again at an endpoint that was drained')
  return command.action((model: string, endpoint: string) =>
    performAndPrint(command, io, 'endpoints-resume', { model, endpoint }, ({ url }) => `${url} gets requests again.\n`),
  )
}

function leftText(outstanding: number): string {
  return `${count(outstanding, 'request')} left`
}

const columns: Columns<Endpoint> = {
  MODEL: ({ model }) => model,
  ENDPOINT: ({ url }) => url,
  STATE: ({ state, outstanding }) => (state === 'draining' && outstanding === 0 ? 'drained' : words[state]),
  RUNNING: ({ outstanding }) => String(outstanding),
  SERVED: ({ served }) => String(served),
  FAILED: ({ failed }) => String(failed),
  REFUSED: ({ refused }) => String(refused),
  'NEXT TRY': ({ retryInMs }) => (retryInMs === null ? '-' : `in ${Math.ceil(retryInMs / 1000)} s`),
  'LAST FAILURE': ({ outOfUse, lastFailure }) =>
    outOfUse ?? (lastFailure === null ? '-' : `${secondOf(lastFailure.atMs)} ${lastFailure.reason}`),
}

const words: Readonly<Record<Endpoint['state'], string>> = {
  closed: 'ok',
  open: 'down',
  'half-open': 'down, to be tried',
  probing: 'being tried',
  draining: 'draining',
  'out-of-use': 'out of use',
}
