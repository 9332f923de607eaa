/**
 * Connections of the server: Netty below, the JDK's {@link com.sun.net.httpserver.HttpExchange}
 * above, one virtual thread for each request between them.
 *
 * <pre>{@code
 * socket ─▶ HeadWatch ─▶ StrictRequestDecoder ─▶ Connection ─▶ ServerExchange    event loop ─▶ virtual thread
 *                                                    │  ▲            │
 *                                                    │  └── answers ─┘
 *                                                    ▼
 *                                            ConnectionTable: which may stay
 * }</pre>
 *
 * <p>Read {@link dev.headway.server.http.Connection} first. A connection is read from while its
 * request is answered, so a client that leaves is noticed at once.
 */
@NullMarked
package dev.headway.server.http;

import org.jspecify.annotations.NullMarked;
