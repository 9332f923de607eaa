/**
 * An HTTP server that speaks OpenAI's protocol, around an engine.
 *
 * <pre>{@code
 * OpenAiServer ─▶ GenerationHandler ─▶ GenerationRequest (JSON, checked, tokenised)
 *                        │                    │
 *                        │                    ▼
 *                        │        Generation.submit ─▶ Engine          any thread ─▶ engine thread
 *                        │                    ▲          │ TokenListener
 *                        │                    └── queue ─┘              engine thread ─▶ this one
 *                        ▼
 *              EventStream or one body ◀── ChoiceText (text, stop strings, log-probabilities)
 * }</pre>
 *
 * <p>Read {@link dev.headway.server.Generation}: it is all that embedding the engine takes, and
 * what to copy into a server of yours. Then {@link dev.headway.server.GenerationHandler}, the way
 * of one request; the rest is HTTP and JSON. Each request has its own virtual thread, which may
 * wait for its client as long as it likes: the engine thread only ever puts a token into a queue
 * that has room, or cancels the request.
 */
@NullMarked
package dev.headway.server;

import org.jspecify.annotations.NullMarked;
