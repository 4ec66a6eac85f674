import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { downloads, followsDownloads } from '../api/downloads.ts'

/** Place of the downloads in the top line. Their code and their stream are only loaded once some run. */
export function DownloadPlace() {
  const [Shown, setShown] = useState<ComponentType>()
  const isWanted = followsDownloads.value || [...downloads.value.values()].some(({ state }) => state === 'failed')
  useEffect(() => {
    if (!isWanted) return
    // Without a connection the page itself says so. The next change tries again.
    void import('./downloads.tsx').then(
      ({ Downloads }) => setShown(() => Downloads),
      () => undefined,
    )
  }, [isWanted])
  return isWanted && Shown !== undefined ? <Shown /> : null
}
