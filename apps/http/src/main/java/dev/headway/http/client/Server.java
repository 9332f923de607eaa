package dev.headway.http.client;

/**
 * Where a server listens.
 *
 * @param host a name or an address
 */
public record Server(String host, int port) {}
