import { readFileSync, statSync } from 'node:fs'
import type { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { sizeText } from '../../core/quantities.ts'
import { checkFolderOwner } from '../../db/folder-owner.ts'
import { createDataFolder } from '../../db/private-file.ts'
import type { WheelPin, WheelSizes } from '../../nvidia/fetch/wheels.ts'
import { licensesOf } from '../../nvidia/libraries.ts'
import { CommandError, type Io, printAnswer, UsageError, wantsJson } from '../io.ts'
import { configOf, newCommand, optionText } from '../options.ts'
import { operationTarget, perform } from '../perform.ts'
import { pullFailure, stoppedText } from '../pull/failure.ts'
import { stoppable } from '../stoppable.ts'
import { hasCuda, relinkLibraries, tellServer, waitingHint, withoutCuda } from './nvidia-libraries.ts'

export function installCommand(io: Io): Command {
  const command = newCommand('install', "fetch NVIDIA's libraries; run again, it goes on where it was")
    .option('--cudnn', 'cuDNN, cuFFT and nvrtc too: speech and some embedders use them')
    .option('--requirements <file>', "other versions, as pip's requirements with --hash=sha256:…")
    .option('--index <address>', 'another package index than the setting gpu-index')
    .option('--insecure', 'allow plain http and redirects to private addresses')
    .option('--yes', "accept NVIDIA's licence and begin without being asked")
  return command.action(async () => {
    const config = configOf(command, io)
    checkFolderOwner(config.data)
    try {
      await stoppable(stoppedText, (signal) => install(command, io, config, signal))
    } catch (error) {
      throw await installFailure(error)
    } finally {
      io.redraw?.('')
    }
  })
}

async function install(command: Command, io: Io, config: Config, signal: AbortSignal): Promise<void> {
  const { wantedWheels } = await import('../../nvidia/fetch/wheels.ts')
  const hasCudnn = command.getOptionValue('cudnn') === true
  const index = indexAddress(command, config)
  const { keptLibraries } = await import('../../nvidia/fetch/kept-wheels.ts')
  const wanted = wantedWheels(hasCudnn, await requirements(command))
  const wheels = wanted.filter(({ sha256 }) => keptLibraries(config.data, sha256) === undefined)
  if (wheels.length === 0) return finish(command, io, config, wanted)
  const bytes = wheels.reduce((sum, wheel) => sum + wheel.wheelBytes, 0)
  const unpackedBytes = wheels.reduce((sum, wheel) => sum + wheel.unpackedBytes, 0)
  const licenses = licensesOf(wheels.map(({ name }) => name))
  io.error(
    [
      `NVIDIA's libraries from ${new URL(index).host}: about ${sizeText(bytes)} to download, ${sizeText(unpackedBytes)} on the disk`,
      ...wheels.map(({ name, version }) => `  ${name} ${version}`),
      ...licenses.map(({ id, url }) => `  licence ${id}: ${url}`),
      '',
    ].join('\n'),
  )
  if (!hasCuda()) io.error(`${withoutCuda}\n`)
  await requireDisk(config.data, wheels)
  if (command.getOptionValue('yes') !== true) {
    const answer = await io.ask('Do you accept it, and shall they be fetched? [y/N] ')
    if (answer === undefined)
      throw new CommandError("nobody can be asked here: 'inferd gpu install --yes' accepts NVIDIA's licence")
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('nothing was fetched')
  }
  createDataFolder(config.data)
  const target = operationTarget(command, io)
  for (const { id, url } of licenses)
    await perform(target, 'licenses-accept', { license: id, text: url, modelId: 'nvidia/cuda' })
  const { whileLocked } = await import('../../nvidia/fetch/lock-libraries.ts')
  await whileLocked(config.data, { signal, onWait: waitingHint(io) }, () => {
    // Another command may have installed some of them meanwhile.
    const rest = wheels.filter(({ sha256 }) => keptLibraries(config.data, sha256) === undefined)
    return fetchThem(command, io, { config, wheels: rest, index, signal })
  })
  await finish(command, io, config, wanted)
}

async function finish(command: Command, io: Io, config: Config, wheels: readonly WheelPin[]): Promise<void> {
  const { keptLibraries } = await import('../../nvidia/fetch/kept-wheels.ts')
  const names = wheels.flatMap(({ sha256 }) => keptLibraries(config.data, sha256) ?? [])
  const { missing } = relinkLibraries(config, io)
  const hint = await tellServer(command, io)
  printAnswer(
    command,
    io,
    { event: 'ready', libraries: names, missing },
    () => `${names.join(', ')} are here. ${hint}\n`,
  )
}

/** Returns the index's address. Throws UsageError for an invalid flag; the setting was checked when it was read. */
function indexAddress(command: Command, { gpuIndex }: Config): string {
  const given = optionText(command, 'index')
  const { protocol = '', username, search } = URL.parse(given ?? gpuIndex) ?? {}
  if (!/^https?:$/.test(protocol) || username || search)
    throw new UsageError('--index must be an address such as https://pypi.org/simple, without a user name or a query')
  return given ?? gpuIndex
}

interface Fetch {
  readonly config: Config
  readonly wheels: readonly WheelPin[]
  readonly index: string
  readonly signal: AbortSignal
}

async function fetchThem(command: Command, io: Io, { config, wheels, index, signal }: Fetch): Promise<string[]> {
  const [{ openHub }, { Downloader }, { planWheel }, { fetchWheels }, { openDisplay }] = await Promise.all([
    import('../../library/open-hub.ts'),
    import('../../store/download/downloader.ts'),
    import('../../nvidia/fetch/wheel-index.ts'),
    import('../../nvidia/fetch/fetch-wheels.ts'),
    import('../pull/display.ts'),
  ])
  const { client } = openHub(config, io.environment, {
    isInsecureAllowed: command.getOptionValue('insecure') === true,
    questions: {
      onTrouble: ({ message }, pauseMs) => io.error(`${message}; next attempt in ${Math.ceil(pauseMs / 1_000)} s\n`),
    },
  })
  const files = []
  for (const wheel of wheels) files.push(await planWheel(wheel, { index, client, signal }))
  const { data: dataDir, pullConnections: connections, pullRateBytes: bytesPerSecond } = config
  using downloader = new Downloader({ client, connections, bytesPerSecond })
  const display = openDisplay(io, { isJson: wantsJson(command) })
  const label = 'gpu install'
  display.begin(label, 0)
  try {
    return await fetchWheels(files, {
      dataDir,
      downloader,
      signal,
      onProgress: (progress) => display.progress(label, progress),
    })
  } finally {
    display.end(label)
  }
}

async function requirements(command: Command): Promise<WheelPin[]> {
  const file = optionText(command, 'requirements')
  if (file === undefined) return []
  const { PinsError, readPins } = await import('../../nvidia/fetch/wheels.ts')
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new PinsError('is no file')
    return readPins(readFileSync(file, 'utf8'))
  } catch (error) {
    throw error instanceof PinsError ? new CommandError(`${file} ${error.message}`) : error
  }
}

/**
 * Checks the disk's space. A wheel is removed once its libraries are in place, so only the largest one coexists with
 * all libraries.
 */
async function requireDisk(dataDir: string, wheels: readonly WheelSizes[]): Promise<void> {
  const { readDiskRoom, roomProblem } = await import('../../store/pull/disk-room.ts')
  const largestFileBytes = Math.max(0, ...wheels.map(({ wheelBytes }) => wheelBytes))
  const missingBytes = largestFileBytes + wheels.reduce((sum, { unpackedBytes }) => sum + unpackedBytes, 0)
  const problem = roomProblem({ missingBytes, largestFileBytes, promisedBytes: 0 }, await readDiskRoom(dataDir))
  if (problem !== undefined) throw new CommandError(problem.replace(/, or --force to try$/, ''), { exitCode: 3 })
}

async function installFailure(error: unknown): Promise<unknown> {
  const [{ KeepError }, { IndexError }, { WebError }] = await Promise.all([
    import('../../nvidia/fetch/keep-libraries.ts'),
    import('../../nvidia/fetch/wheel-index.ts'),
    import('../../store/web/web-error.ts'),
  ])
  if (error instanceof KeepError || error instanceof IndexError) return new CommandError(error.message)
  const failure = pullFailure(error)
  if (!(error instanceof WebError) || !(failure instanceof CommandError)) return failure
  const advice = "without a network: 'inferd gpu import FOLDER' takes them from a disk"
  return new CommandError(`${failure.message}; ${advice}`, { exitCode: failure.exitCode })
}
