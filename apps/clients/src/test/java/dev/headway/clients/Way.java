package dev.headway.clients;

/** How a client reaches the model. */
public enum Way {
  /** {@code headway serve} itself. */
  SERVE,
  /** {@code headway route}, with two such servers behind it. */
  ROUTE
}
