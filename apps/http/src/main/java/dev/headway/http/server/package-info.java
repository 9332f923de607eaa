/**
 * The connections of clients, of the server as of the router: what a program says is what it does
 * with a request.
 *
 * <pre>{@code
 * socket ─▶ HeadWatch ─▶ StrictRequestDecoder ─▶ ClientConnection                     event loop
 *                                                   │   ▲
 *                                   RequestReceiver │   │ answered
 *                 ┌─────────────────────────────────┤   │
 *                 ▼                                 ▼   │
 *       ThreadedRequests                       WholeRequests
 *       the body is read as it comes           the body is collected
 *       ServerExchange, a virtual thread       ReceivedRequest, AnswerWriter, the event loop
 * }</pre>
 *
 * <p>Read {@link dev.headway.http.server.ClientConnection} first. A connection is read from while
 * its request is answered, so a client that leaves is noticed at once.
 */
@NullMarked
package dev.headway.http.server;

import org.jspecify.annotations.NullMarked;
