/**
 * What workers probably have cached, from what they were given: read {@link
 * dev.headway.routing.policy.tree.ApproximatePrefixes}.
 */
@NullMarked
package dev.headway.routing.policy.tree;

import org.jspecify.annotations.NullMarked;
