/**
 * An HTTP server that speaks OpenAI's protocol, around an engine.
 *
 * <pre>{@code
 * OpenAiServer ─▶ GenerationHandler ─▶ GenerationRequest (JSON, checked, tokenised)
 *                        │                    │
 *                        │                    ▼
 *                        │        TokenStream.submit ─▶ Engine         any thread ─▶ engine thread
 *                        │                    ▲          │ TokenListener
 *                        │                    └── queue ─┘              engine thread ─▶ this one
 *                        ▼
 *              EventStream or one body ◀── ChoiceText (text, stop strings, log-probabilities)
 * }</pre>
 *
 * <p>Read {@link dev.headway.server.GenerationHandler}, the way of one request; the rest is HTTP
 * and JSON. {@link dev.headway.api.engine.TokenStream} is all that embedding the engine takes. Each
 * request has a virtual thread of its own, which may wait for its client: the engine thread only
 * puts a token into a queue that has room, or cancels the request.
 */
@NullMarked
package dev.headway.server;

import org.jspecify.annotations.NullMarked;
