import { downloads, followsDownloads } from '../api/downloads.ts'
import { later } from '../parts/later.tsx'

const Downloads = later(() => import('./downloads.tsx').then((loaded) => loaded.Downloads))

/** Place of the downloads in the top line. Their code and their stream are only loaded once some run. */
export function DownloadPlace() {
  const isWanted = followsDownloads.value || [...downloads.value.values()].some(({ state }) => state === 'failed')
  return isWanted ? <Downloads /> : null
}
