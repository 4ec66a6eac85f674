import { useEffect, useState } from 'preact/hooks'
import { me } from '../../api/session.ts'
import { place } from '../../router/router.ts'
import type { Chats } from './kept/chats.ts'

/** Opens the conversations of the account. Undefined until they are open. */
export function useChats(): Chats | undefined {
  const [chats, setChats] = useState<Chats>()
  const account = me.value?.id
  useEffect(() => {
    if (account === undefined) return
    let isWanted = true
    // Loaded apart, while the models are asked for.
    const opening = import('./kept/chats.ts').then((loaded) => loaded.Chats.open(account))
    void opening.then((opened) => {
      if (!isWanted) return
      const { shown } = opened
      const wanted = place.peek().query.get('model')
      if (wanted !== null) shown.peek().models.value = [wanted, ...shown.peek().models.peek().slice(1)]
      setChats(opened)
    })
    return () => {
      isWanted = false
      // An answer is not needed once the page is left.
      void opening.then((opened) => opened.close())
    }
  }, [account])
  return chats
}
