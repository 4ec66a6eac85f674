/** Lets tests wait for a condition, which is checked whenever something changes. */
export interface ChangeSignal {
  /** Makes all waiting tests check their condition. */
  emit(): void
  until(isSo: () => boolean): Promise<void>
}

export function changeSignal(): ChangeSignal {
  let next = Promise.withResolvers<void>()
  return {
    emit: () => {
      next.resolve()
      next = Promise.withResolvers()
    },
    until: async (isSo) => {
      while (!isSo()) await next.promise
    },
  }
}
