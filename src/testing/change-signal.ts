/** Lets tests wait until something is so, which is looked at whenever something changes. */
export interface ChangeSignal {
  /** Tells all who wait that something has changed. */
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
