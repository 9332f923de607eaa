/**
 * Rules of HTTP for the server as for the router: a socket that listens, and what may arrive on it
 * before a request is known.
 *
 * <pre>{@code
 * ListeningSocket ─▶ HeadWatch ─▶ StrictRequestDecoder ─▶ ClientConnection (dev.headway.http.server)
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
