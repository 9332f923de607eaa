/**
 * Requests and the several engines that could serve them.
 *
 * <p>{@code timing} is when a request was where, from the client's clock to its last token; {@code
 * policy} which engine gets it; {@code kvevents} and {@code fpm} what engines say of themselves on
 * the wire.
 */
@NullMarked
package dev.headway.routing;

import org.jspecify.annotations.NullMarked;
