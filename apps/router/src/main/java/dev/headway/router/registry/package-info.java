/** The workers of a router: what is known of each, and who serves a request. */
@NullMarked
package dev.headway.router.registry;

import org.jspecify.annotations.NullMarked;
