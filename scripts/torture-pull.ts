/**
 * Kills downloads, cuts their power, or fills their disk, at random moments and repeatedly. All must end in the right
 * file, or in a part from which the next start continues.
 */
import { readFlags, runScript } from './shared/command-line.ts'
import { fillDisks } from './torture-pull/full-disks.ts'
import { killPulls } from './torture-pull/kills.ts'
import { cutPower } from './torture-pull/power-cuts.ts'

const usage = 'usage: bun run torture:pull [--kills 200] [--cuts 200]; as root also on disks that are really full'

runScript(usage, async () => {
  const { kills, cuts } = readFlags({ kills: 200, cuts: 200 })
  console.log('kills', JSON.stringify(await killPulls(kills)))
  console.log('power cuts', JSON.stringify(await cutPower(cuts)))
  console.log('full disks', JSON.stringify(await fillDisks()))
  return 0
})
