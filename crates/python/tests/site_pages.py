"""Pages of a shop of our own, before and after a redesign."""

GOODS = [("Oak table", "$120.00"), ("Pine chair", "$45.50"), ("Elm shelf", "$80.00"), ("Beech bed", "$310.00")]


def old(name: str, price: str) -> str:
    return f"""<html><body><div id="nav"><a href="/">Home</a></div><div class="item"><h1 class="title">{name}</h1>
<p class="text">{name} is made by hand in a small workshop in the hills, and lasts for many years.</p>
<p>Price <span class="price">{price}</span></p></div><div id="foot">Our shop since 1990</div></body></html>"""


def new(name: str, price: str) -> str:
    return f"""<html><body><header><a href="/">Home</a></header><main><section class="detail">
<h2 class="product-name">{name}</h2><p class="about">{name} is made by hand in a small workshop in the hills, and
lasts for many years.</p><div class="box"><span class="label">Price</span> <strong class="cost">{price}</strong></div>
</section></main><footer>Our shop since 1990</footer></body></html>"""
