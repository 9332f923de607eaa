/**
 * Building blocks for a scheduler of your own: a request and a plan that keep what they are told.
 *
 * <p>A scheduler extends or holds a {@link dev.headway.api.support.SimpleRequest} for each request
 * and fills one {@link dev.headway.api.support.SimplePlan} per step in flight. Engine thread only.
 */
@NullMarked
package dev.headway.api.support;

import org.jspecify.annotations.NullMarked;
