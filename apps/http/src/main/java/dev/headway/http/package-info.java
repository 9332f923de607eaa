/**
 * Where clients connect, to the server as to the router: a socket that listens, and rules for what
 * arrives on it before a request is known.
 *
 * <pre>{@code
 * ListeningSocket ─▶ HeadWatch ─▶ StrictRequestDecoder ─▶ the program's own connection
 *                                                           │  RequestRules: is it a request?
 *                                                           │  ConnectionTable: which may stay
 *                                                           │  BodyBudget: who gets memory
 *                                                           ▼
 *                                          BrowserRules, ApiKeys: may this client ask?
 * }</pre>
 *
 * <p>Read {@link dev.headway.http.ConnectionLimits} first.
 */
@NullMarked
package dev.headway.http;

import org.jspecify.annotations.NullMarked;
