/**
 * The thread-safe entry point of Headway: submit requests, receive tokens, cancel, close.
 *
 * <pre>{@code
 * submit ─▶ bounded queue ─▶ engine thread: schedule ─▶ execute ─▶ update ─▶ TokenListener
 * }</pre>
 *
 * <p>Read {@link dev.headway.api.engine.Engine}, then {@link dev.headway.api.engine.RequestHandle}.
 */
@NullMarked
package dev.headway.api.engine;

import org.jspecify.annotations.NullMarked;
