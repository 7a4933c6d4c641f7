// The collector that receives every record, over OTLP/HTTP.

export interface Collector {
  /** With its path: http://127.0.0.1:4318/v1/logs. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}
