/**
 * A span for each request and one below it for each attempt, by OTLP.
 *
 * <pre>{@code
 * POST /v1/completions            SERVER    the request: below the caller's span, if it sent one
 * ├ POST /v1/completions          CLIENT    an attempt: the decision, its reasons, its end
 * └ POST /v1/completions          CLIENT    another one; the worker's spans are below it
 * }</pre>
 *
 * <p>Event loops note ids and hand a request over when it is over; one thread makes the spans and
 * exports them. Read {@link dev.headway.router.span.OtlpTracer}; names are in {@link
 * dev.headway.router.span.RoutingSpanNames} and nowhere else.
 */
@NullMarked
package dev.headway.router.span;

import org.jspecify.annotations.NullMarked;
