import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/**
 * Chromium without windows, which computes a third less. It asks for no permission, installs no pages, and draws some
 * parts differently.
 */
const lightPlace = '/usr/bin/chromium-headless-shell'

/** Flags that keep the browser itself from using the network, among others */
const quiet = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--autoplay-policy=no-user-gesture-required'],
]

/**
 * Launches the system's Chromium, where `mayBeLight` and there is one the one without windows. `flags` are added, such
 * as a fake microphone.
 */
export async function launchChromium(flags: readonly string[] = [], mayBeLight = false): Promise<Browser> {
  const executablePath = [...(mayBeLight ? [lightPlace] : []), ...places].find((path) => existsSync(path))
  if (executablePath === undefined)
    throw new Error('there is no Chromium here: apt-get install chromium, then run this again')
  return chromium.launch({ executablePath, args: [...quiet, ...flags] })
}
