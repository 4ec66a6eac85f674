import type { Command } from 'commander'
import { type Io, printAnswer } from '../io.ts'
import { wrapWords } from '../layout.ts'
import { configOf, newCommand } from '../options.ts'
import { backendTable } from './backend-table.ts'
import { gpuText } from './gpu-text.ts'
import { importCommand } from './import.ts'
import { installCommand } from './install.ts'
import { knownBackends, probeBackends } from './known-backends.ts'
import { removeCommand } from './remove.ts'

/** Creates `gpu`, which shows the state; its subcommands change it. */
export function gpuCommand(io: Io): Command {
  const command = newCommand('gpu', 'show the GPUs, and the libraries that compute on them')
  for (const subcommand of [installCommand, importCommand, removeCommand, probeCommand])
    command.addCommand(subcommand(io))
  return command.action(async () => {
    const { data, nvidiaLibraries, engineEnvironment: environment } = configOf(command, io)
    const [{ readGpuSigns, usualPlaces }, { readNvidiaCards }, { findNvidiaLibraries }] = await Promise.all([
      import('../../machine/gpu-signs.ts'),
      import('../../machine/nvidia-cards.ts'),
      import('../../nvidia/find-libraries.ts'),
    ])
    const signs = readGpuSigns(usualPlaces(environment.LD_LIBRARY_PATH))
    const cards = await readNvidiaCards({ environment })
    const libraries = findNvidiaLibraries({ dataDir: data, named: nvidiaLibraries, environment: io.environment })
    const backends = await knownBackends(command, io)
    const sentences = gpuText({ signs, cards, libraries, backends }).map(io.hint)
    printAnswer(
      command,
      io,
      { ...signs, cards, libraries, backends },
      () => `${wrapWords(sentences, io.width)}\n${backendTable(backends, io)}`,
    )
  })
}

function probeCommand(io: Io): Command {
  const command = newCommand('probe', 'compute on every GPU again, and show which libraries can')
  return command.action(async () => {
    const backends = await probeBackends(command, io)
    printAnswer(command, io, { backends }, () => backendTable(backends, io))
  })
}
