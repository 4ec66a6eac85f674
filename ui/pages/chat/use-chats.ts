import { useEffect, useState } from 'preact/hooks'
import { me } from '../../api/session.ts'
import { place } from '../../router/router.ts'
import type { Chats } from './kept/chats.ts'

export interface KeptChats {
  readonly chats: Chats
  readonly parts: typeof import('./kept-chats.ts')
}

/** Opens the conversations of the account. Undefined until they are open. */
export function useChats(): KeptChats | undefined {
  const [chats, setChats] = useState<KeptChats>()
  const account = me.value?.id
  useEffect(() => {
    if (account === undefined) return
    let isWanted = true
    // Loaded apart, while the models are asked for.
    const opening = import('./kept-chats.ts').then(async (parts) => ({ parts, chats: await parts.Chats.open(account) }))
    void opening.then((opened) => {
      if (!isWanted) return
      const { shown } = opened.chats
      const wanted = place.peek().query.get('model')
      if (wanted !== null) shown.peek().models.value = [wanted, ...shown.peek().models.peek().slice(1)]
      setChats(opened)
    })
    return () => {
      isWanted = false
      // An answer is not needed once the page is left.
      void opening.then((opened) => opened.chats.close())
    }
  }, [account])
  return chats
}
