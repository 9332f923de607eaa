/**
 * Connections to servers, of the router as of the load generator: kept while a server keeps them,
 * one request at a time, everything on one event loop.
 *
 * <p>Read {@link dev.headway.http.client.ServerConnection.Reader} first.
 */
@NullMarked
package dev.headway.http.client;

import org.jspecify.annotations.NullMarked;
