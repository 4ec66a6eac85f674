import { useEffect, useState } from 'preact/hooks'
import { bytesText } from '../../parts/bytes-text.ts'
import { texts } from '../../texts/texts.ts'
import type { Chats } from './kept/chats.ts'
import { storageUsage } from './kept/permission.ts'

/** Share of the browser's limit from which on a person should make room. */
const nearlyFull = 0.8

/** Shows how many conversations there are, and the storage that they use. */
export function StorageLine({ chats }: { readonly chats: Chats }) {
  const count = chats.list.value.length
  const [usage, setUsage] = useState<Awaited<ReturnType<typeof storageUsage>>>()
  useEffect(() => {
    let isWanted = true
    void storageUsage().then((read) => isWanted && setUsage(read))
    return () => {
      isWanted = false
    }
  }, [count])
  if (count === 0) return null
  const isNearlyFull = usage !== undefined && usage.usedBytes > nearlyFull * usage.limitBytes
  return (
    <p class="hint storage">
      {texts.chat.stored(count, usage === undefined ? undefined : bytesText(usage.usedBytes))}
      {isNearlyFull && <span class="warn"> {texts.chat.nearlyFull}</span>}
    </p>
  )
}
