import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/**
 * Returns a component whose code is loaded when it is first shown. Until then, and while the server is away, it shows
 * nothing.
 */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return function Later(props: Props) {
    const [Shown, setShown] = useState(() => loaded)
    useEffect(() => {
      if (Shown !== undefined) return
      let isWanted = true
      void load().then(
        (component) => {
          loaded = component
          if (isWanted) setShown(() => component)
        },
        () => undefined,
      )
      return () => {
        isWanted = false
      }
    }, [])
    return Shown === undefined ? null : <Shown {...props} />
  }
}
