package dev.headway.probes.otel.span;

/** What the sampled bit of a caller's trace context means. */
public enum ParentRule {
  /** Nothing: rates and rules decide, as in vLLM. */
  IGNORE_SAMPLED_BIT,
  /** A set bit exports the request, a cleared one replaces its rate by 0; tail rules still hold. */
  HONOUR_SAMPLED_BIT
}
